import type { LayoutId } from '@voelgoed/core/ids'
import type { LayoutFault } from '@voelgoed/core/layout/model'
import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import { WorkerQueue } from '@voelgoed/kit/threads/worker-queue'
import type { FastifyBaseLogger } from 'fastify'
import type { PreparedLayout } from './tables/layouts.ts'

export interface CompileJob {
  readonly layoutId: LayoutId
  /** A new layout must have a name; a new version may keep the one it has. */
  readonly kind: 'layout' | 'version'
  readonly body: Uint8Array
}

interface CompiledLayout {
  readonly name: string | undefined
  readonly description: string | null | undefined
  readonly warnings: readonly LayoutFault[]
  readonly prepared: PreparedLayout
}

export type CompileOutcome = Result<CompiledLayout, Refusal>

/**
 * Reads and checks layouts in a thread of its own: an arena of 200,000 seats takes a second or two of
 * computing, in which the thread that serves buyers must not stand still.
 */
export type LayoutCompiler = WorkerQueue<CompileJob, CompiledLayout>

export function startLayoutCompiler(log: FastifyBaseLogger): LayoutCompiler {
  return new WorkerQueue(log, {
    task: 'prepare-layouts',
    failed: 'the layout compiler failed',
    maxWaiting: 8,
    maxHeapMb: 1_536,
    // A layout of 250,000 seats takes a few seconds; what takes longer than this was not made to be a layout.
    maxJobMs: 60_000,
  })
}
