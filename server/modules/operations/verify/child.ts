import { setPriority } from 'node:os'
import { verify } from './verify.ts'

/**
 * The child is told this. The address comes as a message:
 * arguments and the environment can be read by others.
 */
export interface VerifyJob {
  readonly databaseUrl: string
  readonly statementTimeoutMs: number
}

export type VerifyResult =
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'verified'
      readonly violations: number
      readonly untidy: number
      readonly ms: number
      /** The invariants that are broken, with the number of cases. */
      readonly broken: readonly {
        readonly invariant: number
        readonly name: string
        readonly cases: number
      }[]
    }

const LOW_PRIORITY = 10

/** Runs `verify` for the node that started this process: see verify-daily.ts. */
process.once('message', async (job: VerifyJob) => {
  setPriority(LOW_PRIORITY)
  process.send!(await run(job), () => process.exit(0))
})
// The node has died: its child has no process to report to.
process.once('disconnect', () => process.exit(1))

async function run({ databaseUrl, statementTimeoutMs }: VerifyJob): Promise<VerifyResult> {
  try {
    const { checks, violations, untidy, ms } = await verify(databaseUrl, { statementTimeoutMs })
    const broken = checks
      .filter(check => check.violations > 0)
      .map(({ invariant, name, violations: cases }) => ({ invariant, name, cases }))
    return { kind: 'verified', violations, untidy, ms, broken }
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message }
  }
}
