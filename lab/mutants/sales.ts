import type { TestedMutant } from './mutant.ts'

/** When an event sells. */
export const SALE_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'the past is on sale',
    about: 'an event without an end of sales sells after it has begun',
    patches: [
      { file: 'core/event/sale-window.ts', find: 'return saleEnd ?? lastStart', by: 'return saleEnd' },
    ],
    test: 'core/event/decide.test.ts',
  },
  {
    name: 'a new date is not heard of',
    about: 'sales end when the event was to begin, although its date was changed since',
    patches: [
      {
        file: 'server/src/lane/hot-event.ts',
        find: 'policy: terms.policy, lastStart: terms.lastStart }',
        by: 'policy: terms.policy }',
      },
    ],
    test: 'server/test/holds.test.ts',
  },
]
