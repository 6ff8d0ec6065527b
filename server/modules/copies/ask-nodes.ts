import { randomUUID } from 'node:crypto'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Bus } from '@voelgoed/engine/ports/bus'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import type { Ask } from '@voelgoed/kit/postgres/announcement-messages'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { claimOf, GRACE_MS, within } from './claims.ts'
import { deleteReports, type NodeReport, readReports, writeReport } from './tables/node-reports.ts'
import { ALIVE_MS, type KnownNode, listNodes } from './tables/nodes.ts'

export interface AskNodesDeps {
  readonly nodeId: string
  readonly database: Pick<Database, 'tenant' | 'platform'>
  readonly lanes: Pick<Lanes, 'inMemory'>
  readonly bus: Pick<Bus, 'ask'>
  readonly time: Time
  readonly log: FastifyBaseLogger
}

/** The other nodes get so long for an answer, and longer when they load the event again. */
const ANSWER_MS = { report: 2_000, reload: 5_000 }

export interface Answered {
  readonly node: KnownNode
  /** Null: it did not answer in time. */
  readonly report: NodeReport | null
}

/**
 * Asks the other nodes what they have in memory of an event. The question goes over the bus, each node writes
 * its answer into Postgres, under the organization of the event.
 */
export class AskNodes {
  readonly #deps: AskNodesDeps
  /** Questions of other nodes that this one is answering. */
  #answering = 0
  /** Counts the questions that this node did not answer, because it had too much to do. */
  notAnswered = 0

  constructor(deps: AskNodesDeps) {
    this.#deps = deps
  }

  /** `asked` is false when the others could not be asked. */
  async ask(
    { scope, eventId }: EventAddress,
    what: Ask['what'],
    seq: number,
  ): Promise<{ readonly asked: boolean; readonly nodes: readonly Answered[] }> {
    const { database, bus, time, nodeId } = this.#deps
    const nodes = await database.platform('keep the list of nodes', listNodes)
    const others = nodes.filter(({ id }) => id !== nodeId)
    const requestId = randomUUID()
    const asked = await bus.ask({ what, organizationId: scope.organizationId, eventId, requestId, seq })
    const expected = asked ? others.filter(({ ageMs }) => ageMs < ALIVE_MS) : []
    let reports: readonly NodeReport[] = []
    const haveAll = async () => {
      if (expected.length === 0) return true
      reports = await database.tenant(scope, tx => {
        tx.discard()
        return readReports(tx, eventId, requestId)
      })
      const answered = new Set(reports.map(report => report.nodeId))
      return expected.every(({ id }) => answered.has(id))
    }
    await within(ANSWER_MS[what], time, haveAll)
    if (reports.length > 0) await database.tenant(scope, tx => deleteReports(tx, requestId))
    return {
      asked,
      nodes: others.map(node => ({ node, report: reports.find(({ nodeId: id }) => id === node.id) ?? null })),
    }
  }

  /** Another node asks. What it asks about comes from the bus: row-level security holds it to one tenant. */
  async answer({ organizationId, eventId, requestId, seq }: Ask): Promise<void> {
    const { database, lanes, time, nodeId, log } = this.#deps
    if (this.#answering >= MOST_ANSWERING) {
      this.notAnswered += 1
      return
    }
    this.#answering += 1
    try {
      const scope = TenantScope.of(organizationId)
      const view = () => lanes.inMemory(scope, eventId)
      await within(GRACE_MS, time, () => (view()?.seq ?? seq) >= seq)
      const found = view()
      const claim = found && (await claimOf(found, time))
      await database.tenant(scope, tx => writeReport(tx, eventId, requestId, { nodeId, claim }))
    } catch (error) {
      log.warn({ err: error, event_id: eventId }, 'could not say what this node has of an event')
    } finally {
      this.#answering -= 1
    }
  }
}

const MOST_ANSWERING = 20
