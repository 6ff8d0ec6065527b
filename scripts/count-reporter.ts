import type { Reporter, TestModule } from 'vitest/node'

/** Closes the run with a line that people and machines can both read: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0
    let failed = unhandled.length
    for (const module of modules) {
      // A file that could not even be loaded has no tests to count.
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) failed += 1
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1
        else if (test.result().state === 'failed') failed += 1
      }
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  }
}
