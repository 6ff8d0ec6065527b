import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import long from './long-tests.json' with { type: 'json' }

/**
 * Files of more than 12 s (long-tests.json), the longest first: a long one that begins last would run alone,
 * while the other cores have nothing to do. Only one of the first three needs the page, and builds it: the
 * others find it.
 * Where no file has been timed yet, as in CI, Vitest goes by the size of files.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const { root } = this.ctx.config
    const place = ({ moduleId }: TestSpecification) => {
      const at = long.indexOf(relative(root, moduleId))
      return at === -1 ? long.length : at
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
