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
  /** Null: the device does not count it. It is an exit, and the device does not know of the entry. */
  readonly day: string | null
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

/** Keeps the list of one event, and the scans that wait for the server, in IndexedDB. */
export class DeviceStore {
  #opened: Promise<IDBDatabase>
  #isClosed = false

  /** A database that can not be opened, as in some private windows, fails what is asked of it later. */
  constructor() {
    this.#opened = openDatabase()
    this.#opened.catch(() => {})
  }

  close(): void {
    this.#isClosed = true
    void this.#opened.then(
      database => database.close(),
      () => {},
    )
  }

  /**
   * A phone may end the connection of a page that it has put to sleep: then it is opened again, once. What
   * was under way has not happened, so it is done again.
   */
  async #on<T>(work: (database: IDBDatabase) => Promise<T>): Promise<T> {
    const opened = this.#opened
    let database: IDBDatabase | null = null
    try {
      database = await opened
      return await work(database)
    } catch (error) {
      if (this.#isClosed || (database && !isConnectionLost(error))) throw error
      // One opens it for all who find it lost.
      if (this.#opened === opened) {
        database?.close()
        this.#opened = openDatabase()
      }
      return work(await this.#opened)
    }
  }

  async readList(): Promise<GateList | null> {
    return (await this.#read<GateList | undefined>(LIST, list => list.get(LIST))) ?? null
  }

  /** One page of the bundle: the list and its tickets change together. */
  applyPage(list: GateList, news: ReadonlyMap<string, TicketChange>): Promise<void> {
    return this.#write([LIST, TICKETS], work => {
      const tickets = work.objectStore(TICKETS)
      for (const [id, change] of news) changeIn(tickets, id, change)
      work.objectStore(LIST).put(list, LIST)
    })
  }

  /** Another event, or another person: what is known of tickets goes. What waits stays. */
  forgetList(): Promise<void> {
    return this.#write([LIST, TICKETS], work => {
      work.objectStore(LIST).clear()
      work.objectStore(TICKETS).clear()
    })
  }

  async readTicket(id: string): Promise<KnownTicket> {
    return (
      (await this.#read<KnownTicket | undefined>(TICKETS, tickets => tickets.get(id))) ?? unknownTicket(id)
    )
  }

  countTickets(): Promise<number> {
    return this.#read(TICKETS, tickets => tickets.count())
  }

  changeTicket(id: string, change: TicketChange): Promise<void> {
    return this.#write([TICKETS], work => changeIn(work.objectStore(TICKETS), id, change))
  }

  /** The scan and its entry, together. False: as many wait as the device keeps. */
  keepScan(scan: WaitingScan, change: TicketChange): Promise<boolean> {
    return this.#write([WAITING, TICKETS], async work => {
      const waiting = work.objectStore(WAITING)
      const hasRoom = (await result(waiting.count())) < MOST_WAITING
      if (hasRoom) {
        waiting.put(scan)
        changeIn(work.objectStore(TICKETS), scan.ticket_id, change)
      }
      return hasRoom
    })
  }

  /** The server has not heard of it, and will not: the scan and its entry go together. */
  withdraw(scanId: string, ticketId: string, change: TicketChange): Promise<void> {
    return this.#write([WAITING, TICKETS], work => {
      work.objectStore(WAITING).delete(scanId)
      changeIn(work.objectStore(TICKETS), ticketId, change)
    })
  }

  countWaiting(): Promise<number> {
    return this.#read(WAITING, waiting => waiting.count())
  }

  /** The oldest of an organization, at most `limit`. */
  waitingOf(slug: string, limit: number): Promise<WaitingScan[]> {
    const range = IDBKeyRange.bound([slug, 0], [slug, Number.MAX_SAFE_INTEGER])
    return this.#read(WAITING, waiting => waiting.index('by slug').getAll(range, limit))
  }

  /** The server has these: they wait no more, their entries have its ids, and what was wrong is listed. */
  settle(
    heard: readonly { readonly scanId: string; readonly ticketId: string; readonly change: TicketChange }[],
    wrong: readonly WrongScan[],
  ): Promise<void> {
    return this.#write([WAITING, TICKETS, WRONG], async work => {
      for (const { scanId, ticketId, change } of heard) {
        work.objectStore(WAITING).delete(scanId)
        changeIn(work.objectStore(TICKETS), ticketId, change)
      }
      const listed = work.objectStore(WRONG)
      const room = MOST_WRONG - (await result(listed.count()))
      for (const scan of wrong.slice(0, Math.max(0, room))) listed.put(scan)
    })
  }

  wrongScans(): Promise<WrongScan[]> {
    return this.#read(WRONG, wrong => wrong.getAll())
  }

  forgetWrong(): Promise<void> {
    return this.#write([WRONG], work => void work.objectStore(WRONG).clear())
  }

  #read<T>(name: string, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return this.#on(database => result(ask(database.transaction(name).objectStore(name))))
  }

  #write<T>(names: readonly string[], change: (work: IDBTransaction) => T | Promise<T>): Promise<T> {
    return this.#on(async database => {
      const work = database.transaction(names, 'readwrite')
      const ended = done(work)
      ended.catch(() => {})
      const changed = await change(work)
      await ended
      return changed
    })
  }
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1)
  request.onupgradeneeded = () => {
    const database = request.result
    database.createObjectStore(LIST)
    database.createObjectStore(TICKETS, { keyPath: 'id' })
    database.createObjectStore(WAITING, { keyPath: 'scan_id' }).createIndex('by slug', ['slug', 'at'])
    database.createObjectStore(WRONG, { keyPath: 'scan_id' })
  }
  return result(request)
}

function isConnectionLost(error: unknown): boolean {
  return error instanceof DOMException && ['InvalidStateError', 'UnknownError'].includes(error.name)
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
