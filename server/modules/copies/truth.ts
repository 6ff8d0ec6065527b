import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import type { EventDigest } from '@voelgoed/core/event/digest'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import { continueJournal } from '@voelgoed/engine/tables/journal'
import { isSamePoint, type JournalPoint, readLedger } from '@voelgoed/engine/tables/ledger'
import { digestInSlices } from '@voelgoed/engine/view/digest-in-slices'
import type { HotEvent } from '@voelgoed/engine/view/hot-event'
import { loadRows } from '@voelgoed/engine/view/load-event'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import type { Time } from '@voelgoed/kit/base/time'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import type { Claim } from './tables/node-reports.ts'

export interface TruthDeps {
  readonly database: TenantDoor
  readonly seatMaps: SeatMaps
  readonly time: Time
}

/**
 * A copy stands to Postgres in one of these ways. `behind`: it lacks what Postgres had before the copy was
 * asked. `lost`: it knows what Postgres does not have. `unknown`: it is too far ahead to be compared.
 */
export type Standing = 'same' | 'different' | 'behind' | 'lost' | 'unknown'

/** A copy that is so many changes ahead of the rows is not compared. */
const MOST_AHEAD = 20_000
/** Changes that are applied before buyers are served again. */
const CHANGES_A_SLICE = 500

/** An event as the rows of Postgres have it. Null: it was never on sale. */
export async function readTruth(deps: TruthDeps, event: EventAddress): Promise<Truth | null> {
  const hot = await loadRows(deps.database, deps.seatMaps, event)
  return hot && new Truth(deps, event, hot, await digestInSlices(hot.state, deps.time))
}

/**
 * The rows of an event, read at one moment. No two copies of an event on sale are read at one seq: so the
 * rows are read first, and go on along the journal to where each copy is.
 */
export class Truth {
  /** The rows were at this point when they were read. */
  readonly point: EpochPoint
  readonly digest: EventDigest
  readonly #deps: TruthDeps
  readonly #event: EventAddress
  readonly #hot: HotEvent
  /** The rows do not continue as the journal says: every copy that is further differs from them. */
  #isBroken = false

  /** `hot` belongs to it from here on. */
  constructor(deps: TruthDeps, event: EventAddress, hot: HotEvent, digest: EventDigest) {
    this.#deps = deps
    this.#event = event
    this.#hot = hot
    this.point = { seq: hot.state.seq, tip: hot.tip, epoch: hot.epoch }
    this.digest = digest
  }

  get state(): HotEvent['state'] {
    return this.#hot.state
  }

  /** The database's clock when the rows were read, or a little later. */
  get now(): number {
    return this.#deps.time.now() + this.#hot.clockOffset
  }

  /** Judges some copies that were asked after the rows were read. The caller may call it once. */
  async judge(claims: readonly Claim[]): Promise<Standing[]> {
    const standings = new Map<Claim, Standing>()
    const inOrder = [...claims].sort((a, b) => a.seq - b.seq)
    let digest: EventDigest | null = this.digest
    for (const claim of inOrder) {
      if (claim.epoch !== this.point.epoch) {
        standings.set(claim, claim.epoch < this.point.epoch ? 'behind' : 'lost')
        continue
      }
      if (claim.seq < this.point.seq) {
        standings.set(claim, 'behind')
        continue
      }
      if (claim.seq > this.#hot.state.seq) {
        const went = await this.#goOn(claim.seq)
        digest = went === 'there' ? await digestInSlices(this.#hot.state, this.#deps.time) : null
        if (went !== 'there') {
          standings.set(claim, went)
          continue
        }
      }
      const here: JournalPoint = { seq: this.#hot.state.seq, tip: this.#hot.tip }
      if (!isSamePoint(claim, here)) standings.set(claim, 'lost')
      else standings.set(claim, claim.digest === digest?.digest ? 'same' : 'different')
    }
    return claims.map(claim => {
      const standing = standings.get(claim)!
      if (standing === 'same' || standing === 'different') return standing
      return differsAtItsPoint(claim, claims) ? 'different' : standing
    })
  }

  /** Applies the journal up to a seq. */
  async #goOn(seq: number): Promise<'there' | 'different' | 'lost' | 'unknown'> {
    if (this.#isBroken) return 'different'
    const { scope, eventId } = this.#event
    const from = { seq: this.#hot.state.seq, tip: this.#hot.tip }
    const count = seq - from.seq
    if (count > MOST_AHEAD) return 'unknown'
    const read = await this.#deps.database.tenant(scope, async tx => {
      tx.discard()
      const ledger = await readLedger(tx, eventId)
      if (ledger?.epoch !== this.point.epoch) return null
      return continueJournal(tx, eventId, from, count)
    })
    if (read?.changes.length !== count) return 'lost'
    this.#isBroken = !(await this.#apply(read.changes))
    if (this.#isBroken) return 'different'
    this.#hot.tip = read.to.tip
    return 'there'
  }

  async #apply(changes: readonly Change[]): Promise<boolean> {
    try {
      for (const [index, change] of changes.entries()) {
        apply(this.#hot.state, change)
        if (index % CHANGES_A_SLICE === 0) await new Promise<void>(resolve => this.#deps.time.soon(resolve))
      }
      return true
    } catch {
      // The rows do not continue as the journal says: `npm run verify` says more.
      return false
    }
  }
}

/** Two copies at one point must be alike, also where Postgres is not any more. */
function differsAtItsPoint(claim: Claim, claims: readonly Claim[]): boolean {
  return claims.some(
    other =>
      other.epoch === claim.epoch &&
      other.seq === claim.seq &&
      isSamePoint(other, claim) &&
      other.digest !== claim.digest,
  )
}
