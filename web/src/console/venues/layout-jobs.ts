import { createClient, type Data, type Problem, Refused } from '@voelgoed/client'
import type { LayoutId } from '@voelgoed/core/ids'
import { compileLayout } from '@voelgoed/core/layout/compile'
import type { Layout, LayoutConfig } from '@voelgoed/core/layout/model'
import { toCsv } from '@voelgoed/core/layout/to-csv'
import { compareLayouts, type LayoutComparison } from './compare-layouts.ts'
import { drawLayout, type LayoutPreview, type LayoutSource } from './draw-layout.ts'

/** The thread asks this server, with this token. */
export interface JobAccess {
  readonly baseUrl: string
  readonly token: string
}

interface VersionOf {
  readonly layout: string
  readonly version: number
}

/** The page asks the thread that works on layouts for one of these. */
export type LayoutJob =
  /** `into`: the layout that gets a version; null: a new one. */
  | {
      readonly kind: 'draw'
      readonly source: Exclude<LayoutSource, { kind: 'config' }>
      readonly into: string | null
    }
  | {
      readonly kind: 'read'
      readonly of: VersionOf
      readonly into: string | null
      readonly access: JobAccess
    }
  | {
      readonly kind: 'compare'
      readonly before: VersionOf
      readonly after: VersionOf
      readonly access: JobAccess
    }
  | {
      readonly kind: 'export'
      readonly of: VersionOf
      readonly format: 'json' | 'csv'
      readonly access: JobAccess
    }
  /** The layout that was drawn or read last. */
  | {
      readonly kind: 'create'
      readonly venue: string
      readonly name: string
      readonly key: string
      readonly access: JobAccess
    }
  | { readonly kind: 'save'; readonly layout: string; readonly key: string; readonly access: JobAccess }

export type SavedVersion = Data<'PUT /api/admin/layouts/:layout'>

export interface JobResults {
  readonly draw: LayoutPreview
  readonly read: LayoutPreview
  readonly compare: LayoutComparison
  readonly export: Uint8Array
  readonly create: SavedVersion
  readonly save: SavedVersion
}

export type JobAnswer =
  | { readonly value: JobResults[keyof JobResults] }
  | { readonly refused: Problem; readonly retryAfter: number | null }
  | { readonly failed: string }

/** A layout of 250,000 seats has a body of 96 MiB, and saving it takes its time. */
const PATIENCE_MS = 300_000

/** Keeps what was drawn last, so that a large layout goes to the server without passing through the page. */
export class LayoutJobs {
  #config: LayoutConfig | null = null

  async run(job: LayoutJob): Promise<JobAnswer> {
    try {
      return { value: await this.#run(job) }
    } catch (error) {
      if (error instanceof Refused) return { refused: error.problem, retryAfter: error.retryAfter }
      return { failed: (error as Error).message }
    }
  }

  async #run(job: LayoutJob): Promise<JobResults[keyof JobResults]> {
    if (job.kind === 'draw') return this.#draw(job.source, job.into)
    if (job.kind === 'read') {
      const { config } = await readVersion(job.access, job.of)
      return this.#draw({ kind: 'config', config }, job.into)
    }
    if (job.kind === 'compare') {
      const [before, after] = await Promise.all([
        readVersion(job.access, job.before),
        readVersion(job.access, job.after),
      ])
      return compareLayouts(compiled(before), compiled(after))
    }
    if (job.kind === 'export') {
      const version = await readVersion(job.access, job.of)
      return new TextEncoder().encode(
        job.format === 'csv' ? toCsv(compiled(version)) : JSON.stringify(version.config, null, 1),
      )
    }
    if (!this.#config) throw new Error('Nothing was drawn.')
    const body = { config: this.#config }
    const client = clientOf(job.access)
    if (job.kind === 'create') {
      const params = { venue: job.venue }
      const input = { params, body: { ...body, name: job.name }, idempotencyKey: job.key }
      return (await client.call('POST /api/admin/venues/:venue/layouts', input)).data
    }
    const input = { params: { layout: job.layout }, body, idempotencyKey: job.key }
    return (await client.call('PUT /api/admin/layouts/:layout', input)).data
  }

  #draw(source: LayoutSource, into: string | null): LayoutPreview {
    this.#config = null
    const { preview, config } = drawLayout(source, into as LayoutId | null)
    this.#config = config
    return preview
  }
}

function clientOf({ baseUrl, token }: JobAccess) {
  return createClient({ baseUrl, token, timeoutMs: PATIENCE_MS })
}

interface ReadVersion {
  readonly layoutId: LayoutId
  readonly config: LayoutConfig
}

async function readVersion(access: JobAccess, { layout, version }: VersionOf): Promise<ReadVersion> {
  const query = { version: String(version) }
  const { data } = await clientOf(access).call('GET /api/admin/layouts/:layout', {
    params: { layout },
    query,
  })
  return { layoutId: layout as LayoutId, config: data.config as LayoutConfig }
}

/** A layout that the server stored has no faults. */
function compiled({ layoutId, config }: ReadVersion): Layout {
  const result = compileLayout(layoutId, config)
  if (!result.ok) throw new Error(result.problem[0]?.message ?? 'The layout can not be read.')
  return result.value
}
