import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files of more than 12 s, the longest first: a long one that begins last would run alone, while the other
 * cores have nothing to do. Only one of the first three needs the page, and builds it: the others find it.
 * Where no file has been timed yet, as in CI, Vitest goes by the size of files.
 */
const LONG = [
  'web/test/page.test.ts',
  'lab/bench.test.ts',
  'server/test/workers.test.ts',
  'server/test/start.test.ts',
  'web/test/console-desk.test.ts',
  'web/test/console.test.ts',
  'web/test/people.test.ts',
  'lab/faults-checkout.test.ts',
  'server/src/embedded-postgres/launch.test.ts',
  'web/test/console-layouts.test.ts',
  'lab/faults.test.ts',
  'server/test/faults.test.ts',
  'server/test/races.test.ts',
  'server/test/edge.test.ts',
  'web/test/paying.test.ts',
  'lab/faults-redis.test.ts',
  'lab/hostile.test.ts',
  'server/test/warm-reads.test.ts',
  'server/test/expiry.test.ts',
  'server/test/live.test.ts',
  'server/test/drain.test.ts',
  'server/test/pooler.test.ts',
  'server/test/tracing.test.ts',
  'server/test/closed-output.test.ts',
  'server/test/root-key.test.ts',
  'lab/bench/map/main.test.ts',
  'server/test/docs.test.ts',
  'web/test/map.test.ts',
  'server/src/jobs/hold-history.test.ts',
  'server/test/nodes.test.ts',
  'server/test/registry.test.ts',
  'web/test/sign-in.test.ts',
  'core/event/properties.test.ts',
]

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const { root } = this.ctx.config
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.indexOf(relative(root, moduleId))
      return at === -1 ? LONG.length : at
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
