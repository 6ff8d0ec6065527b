import type { Direction, ScanCode } from '@voelgoed/core/entry/scan'
import { type GateList, type KnownTicket, unknownTicket } from './gate-list.ts'
import type { ShownTicket } from './verdict.ts'

/** A scan that the device decided by itself and the server has not heard of. */
export interface WaitingScan {
  readonly scan_id: string
  /** The organization. */
  readonly slug: string
  readonly event_id: string
  readonly ticket_id: string
  readonly token: string
  readonly gate: string | null
  readonly direction: Direction
  /** By the server's clock. */
  readonly at: number
  readonly day: string
  readonly ticket: ShownTicket | null
}

/** Let through, and should not have been: the server found out at the upload. */
export interface WrongScan extends WaitingScan {
  readonly code: ScanCode
}

export type TicketChange = (known: KnownTicket) => KnownTicket

/** An hour of a person every second, several times over. */
const MOST_WAITING = 20_000
const MOST_WRONG = 200

const NAME = 'voelgoed-scan'
const LIST = 'list'
const TICKETS = 'tickets'
const WAITING = 'waiting'
const WRONG = 'wrong'

/** What the device keeps, in IndexedDB: the list of one event, and what waits for the server. */
export class DeviceStore {
  readonly #database: IDBDatabase

  private constructor(database: IDBDatabase) {
    this.#database = database
  }

  static async open(): Promise<DeviceStore> {
    const request = indexedDB.open(NAME, 1)
    request.onupgradeneeded = () => {
      const database = request.result
      database.createObjectStore(LIST)
      database.createObjectStore(TICKETS, { keyPath: 'id' })
      database.createObjectStore(WAITING, { keyPath: 'scan_id' }).createIndex('by slug', ['slug', 'at'])
      database.createObjectStore(WRONG, { keyPath: 'scan_id' })
    }
    return new DeviceStore(await result(request))
  }

  close(): void {
    this.#database.close()
  }

  async readList(): Promise<GateList | null> {
    return (await result<GateList | undefined>(this.#read(LIST).get(LIST))) ?? null
  }

  /** One page of the bundle: the list and its tickets change together. */
  async applyPage(list: GateList, news: ReadonlyMap<string, TicketChange>): Promise<void> {
    const work = this.#database.transaction([LIST, TICKETS], 'readwrite')
    const tickets = work.objectStore(TICKETS)
    for (const [id, change] of news) changeIn(tickets, id, change)
    work.objectStore(LIST).put(list, LIST)
    await done(work)
  }

  /** Another event, or another person: what is known of tickets goes. What waits stays. */
  async forgetList(): Promise<void> {
    const work = this.#database.transaction([LIST, TICKETS], 'readwrite')
    work.objectStore(LIST).clear()
    work.objectStore(TICKETS).clear()
    await done(work)
  }

  async readTicket(id: string): Promise<KnownTicket> {
    return (await result<KnownTicket | undefined>(this.#read(TICKETS).get(id))) ?? unknownTicket(id)
  }

  countTickets(): Promise<number> {
    return result(this.#read(TICKETS).count())
  }

  async changeTicket(id: string, change: TicketChange): Promise<void> {
    const work = this.#database.transaction(TICKETS, 'readwrite')
    changeIn(work.objectStore(TICKETS), id, change)
    await done(work)
  }

  /** The scan and its entry, together. False: as many wait as the device keeps. */
  async keepScan(scan: WaitingScan, change: TicketChange): Promise<boolean> {
    const work = this.#database.transaction([WAITING, TICKETS], 'readwrite')
    const waiting = work.objectStore(WAITING)
    const hasRoom = (await result(waiting.count())) < MOST_WAITING
    if (hasRoom) {
      waiting.put(scan)
      changeIn(work.objectStore(TICKETS), scan.ticket_id, change)
    }
    await done(work)
    return hasRoom
  }

  /** The server has not heard of it, and will not: the scan and its entry go together. */
  async withdraw(scanId: string, ticketId: string, change: TicketChange): Promise<void> {
    const work = this.#database.transaction([WAITING, TICKETS], 'readwrite')
    work.objectStore(WAITING).delete(scanId)
    changeIn(work.objectStore(TICKETS), ticketId, change)
    await done(work)
  }

  countWaiting(): Promise<number> {
    return result(this.#read(WAITING).count())
  }

  /** The oldest of an organization, at most `limit`. */
  waitingOf(slug: string, limit: number): Promise<WaitingScan[]> {
    const range = IDBKeyRange.bound([slug, 0], [slug, Number.MAX_SAFE_INTEGER])
    return result(this.#read(WAITING).index('by slug').getAll(range, limit))
  }

  /** The server has these: they wait no more, their entries have its ids, and what was wrong is listed. */
  async settle(
    heard: readonly { readonly scanId: string; readonly ticketId: string; readonly change: TicketChange }[],
    wrong: readonly WrongScan[],
  ): Promise<void> {
    const work = this.#database.transaction([WAITING, TICKETS, WRONG], 'readwrite')
    for (const { scanId, ticketId, change } of heard) {
      work.objectStore(WAITING).delete(scanId)
      changeIn(work.objectStore(TICKETS), ticketId, change)
    }
    const listed = work.objectStore(WRONG)
    const room = MOST_WRONG - (await result(listed.count()))
    for (const scan of wrong.slice(0, Math.max(0, room))) listed.put(scan)
    await done(work)
  }

  wrongScans(): Promise<WrongScan[]> {
    return result(this.#read(WRONG).getAll())
  }

  async forgetWrong(): Promise<void> {
    const work = this.#database.transaction(WRONG, 'readwrite')
    work.objectStore(WRONG).clear()
    await done(work)
  }

  #read(name: string): IDBObjectStore {
    return this.#database.transaction(name).objectStore(name)
  }
}

/** Within a transaction: nothing comes between reading and writing. */
function changeIn(tickets: IDBObjectStore, id: string, change: TicketChange): void {
  const request = tickets.get(id)
  request.onsuccess = () => {
    tickets.put(change((request.result as KnownTicket | undefined) ?? unknownTicket(id)))
  }
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function done(work: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    work.oncomplete = () => resolve()
    work.onabort = () => reject(work.error)
  })
}
