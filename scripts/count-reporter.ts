import type { Reporter, TestModule } from 'vitest/node'

/** Closes the run with a line that people and machines can both read: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0
    let failed = unhandled.length
    for (const module of modules) {
      const states = [...module.children.allTests()].map(test => test.result().state)
      const failures = states.filter(state => state === 'failed').length
      passed += states.filter(state => state === 'passed').length
      // A file may fail before its first test, or after its last one.
      failed += failures === 0 && module.state() === 'failed' ? 1 : failures
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  }
}
