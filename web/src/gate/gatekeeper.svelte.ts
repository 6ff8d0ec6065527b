import { createClient, Refused, Unreachable } from '@voelgoed/client'
import { eventDayAt } from '@voelgoed/core/entry/event-day'
import type { Direction } from '@voelgoed/core/entry/scan'
import { untilWorthTrying } from '../kit/state/keep-trying.ts'
import type { Session } from '../kit/state/session.svelte.ts'
import { daysOf, decideOffline } from './decide-offline.ts'
import { type ClockTrouble, DeviceClock } from './device-clock.ts'
import type { DeviceStore, WaitingScan, WrongScan } from './device-store.ts'
import { type GateList, type KnownTicket, withEntry, withoutEntry } from './gate-list.ts'
import { keepCount, keptCount } from './let-in-here.ts'
import { readNews } from './read-news.ts'
import { isRefusedAsItIs, uploadWaiting } from './upload-waiting.ts'
import { type NoDecision, toneOf, type Verdict, verdictOf } from './verdict.ts'
import { createVerifier, type TokenVerifier } from './verify-token.ts'

interface Gate {
  readonly eventId: string
  readonly name: string
  readonly direction: Direction
}

interface GatekeeperOptions {
  readonly session: Session
  readonly store: DeviceStore
  readonly deviceId: string
  readonly gate: () => Gate
  /** For sound and vibration. */
  onVerdict(verdict: Verdict): void
  /** More was scanned than waits in line: the last one is to be scanned again. */
  onMissed(): void
}

/** A person waits: after so long without an answer the device decides by itself. */
const PATIENCE_MS = 2_000
const NEWS_EVERY_MS = 20_000
/** While the server is away, it is asked so often whether it is back. */
const ASK_EVERY_MS = 5_000
/** Scans that wait for the one before them; a scanner that types without end is not followed. */
const MOST_IN_LINE = 20

/** One gate: what is scanned here, who decides it, and what waits for the server. */
export class Gatekeeper {
  #verdict: Verdict | null = $state.raw(null)
  #isDeciding = $state(false)
  /** Null: it has not been heard since the page was opened. */
  #isServerThere: boolean | null = $state(globalThis.navigator?.onLine === false ? false : null)
  #needsSignIn = $state(false)
  #mayNotScan = $state(false)
  /** The server refused what the gate asked last, whatever it was; null: it has answered since. */
  #refused: Refused | null = $state.raw(null)
  #isUploadRefused = $state(false)
  #hasStorage = $state(true)
  #waiting = $state(0)
  #wrong: readonly WrongScan[] = $state.raw([])
  #list: GateList | null = $state.raw(null)
  #tickets = $state(0)
  #admitted = $state(0)
  #admittedDay = ''
  #clockTrouble: ClockTrouble | null = $state(null)
  readonly #clock = new DeviceClock()
  readonly #options: GatekeeperOptions
  readonly #closed = new AbortController()
  #wake = new AbortController()
  #verifier: Promise<TokenVerifier | null> | null = null
  #verifierKeys = ''
  /** The scan whose verdict asks the person at the gate to look. */
  #looked: WaitingScan | null = null
  /** The server may have heard of these. */
  readonly #sent = new Set<string>()
  readonly #withdrawn = new Set<string>()
  #line: readonly string[] = $state.raw([])
  #missed = $state(0)
  #isHeld = false
  #isWorking = false
  /** The code that the verdict is of. */
  #code = ''

  constructor(options: GatekeeperOptions) {
    this.#options = options
  }

  /** The verdict on the screen; null: nothing was scanned, or the person at the gate has seen it. */
  get verdict(): Verdict | null {
    return this.#verdict
  }
  get isDeciding(): boolean {
    return this.#isDeciding
  }
  /** The verdict stays until the person at the gate has seen it: it is no plain yes. */
  get mustBeSeen(): boolean {
    return this.#verdict !== null && toneOf(this.#verdict) !== 'good'
  }
  /** Scanned, and not decided yet. */
  get inLine(): number {
    return this.#line.length
  }
  /** So many codes were not taken: too many waited. */
  get missed(): number {
    return this.#missed
  }
  get isOnline(): boolean {
    return this.#isServerThere !== false
  }
  /** True: it is not known yet whether the server is there. */
  get isConnecting(): boolean {
    return this.#isServerThere === null
  }
  get clockTrouble(): ClockTrouble | null {
    return this.#clockTrouble
  }
  get needsSignIn(): boolean {
    return this.#needsSignIn
  }
  /** The server refused what was asked last. */
  get refused(): Refused | null {
    return this.#refused
  }
  get slug(): string {
    return this.#options.session.slug
  }
  /** The account that is signed in may not scan, or may not any more. */
  get mayNotScan(): boolean {
    return this.#mayNotScan
  }
  /** The server is there, and does not take some of what waits. */
  get isUploadRefused(): boolean {
    return this.#isUploadRefused
  }
  /** The device keeps the list and what waits. If not, only the server decides. */
  get hasStorage(): boolean {
    return this.#hasStorage
  }
  get waiting(): number {
    return this.#waiting
  }
  get wrong(): readonly WrongScan[] {
    return this.#wrong
  }
  get list(): GateList | null {
    return this.#list
  }
  /** On the device's list. */
  get tickets(): number {
    return this.#tickets
  }
  /** Let in by this device on this day of the event. */
  get admitted(): number {
    return this.#admitted
  }

  /** Opens with what the device has, then follows the server until it is closed. */
  async open(): Promise<void> {
    // A device that can not read what it keeps asks the server about each ticket.
    await this.#openList().catch(error => this.#failed(error))
    this.#openCount()
    void this.#follow()
  }

  #openCount(): void {
    this.#admittedDay = this.#today()
    this.#admitted = Math.max(this.#admitted, keptCount(this.#options.gate().eventId, this.#admittedDay))
  }

  #countIn(by: 1 | -1): void {
    const day = this.#today()
    if (day !== this.#admittedDay) this.#admitted = 0
    this.#admittedDay = day
    this.#admitted = Math.max(0, this.#admitted + by)
    keepCount({ eventId: this.#options.gate().eventId, day, count: this.#admitted })
  }

  #today(): string {
    const list = this.#list
    const now = this.#now()
    return list ? eventDayAt(daysOf(list), now).day : new Date(now).toISOString().slice(0, 10)
  }

  async #openList(): Promise<void> {
    const { session, store, gate } = this.#options
    const kept = await store.readList()
    if (kept && kept.slug === session.slug && kept.event.id === gate().eventId) this.#list = kept
    else await store.forgetList()
    await this.#count()
  }

  close(): void {
    this.#closed.abort()
    this.#wake.abort()
  }

  /** The person has signed in again: what waits goes out now. */
  signedIn(): void {
    this.#needsSignIn = false
    this.#mayNotScan = false
    this.#refused = null
    this.#askNow()
  }

  /** The browser says that the network has gone, or is back. */
  networkChanged(isThere: boolean): void {
    if (isThere) this.#askNow()
    else this.#isServerThere = false
  }

  next(): void {
    this.#verdict = null
    void this.#work()
  }

  /** The codes that were not taken are scanned again. */
  forgetMissed(): void {
    this.#missed = 0
  }

  /** A person fills in a form, which hides the verdict: what is scanned waits in line. */
  hold(yes: boolean): void {
    this.#isHeld = yes
    void this.#work()
  }

  /**
   * The person at the gate looked, and did not let them in. A scan that only this device knows of goes; of
   * one that the server may have, an exit tells it that the person is not inside.
   */
  async notLetIn(): Promise<void> {
    const scan = this.#looked
    this.#looked = null
    this.#verdict = null
    if (scan) await this.#takeBack(scan)
    void this.#work()
  }

  async #takeBack(scan: WaitingScan): Promise<void> {
    const { store } = this.#options
    this.#countIn(-1)
    if (this.#sent.has(scan.scan_id)) {
      const exit = { ...scan, scan_id: crypto.randomUUID(), direction: 'out', at: this.#now() } as const
      await store.keepScan(exit, known => withScan(known, exit)).catch(() => false)
    } else {
      this.#withdrawn.add(scan.scan_id)
      await store
        .withdraw(scan.scan_id, scan.ticket_id, known => withoutEntry(known, scan.scan_id))
        .catch(() => {})
    }
    await this.#count().catch(() => {})
  }

  async forgetWrong(): Promise<void> {
    await this.#options.store.forgetWrong()
    await this.#count()
  }

  /**
   * A code, from the camera, a scanner or a person. One after another: a verdict that must be seen keeps the
   * others waiting. The ticket that was refused is only told of again; one that could not be decided is tried
   * once more.
   */
  scan(text: string): void {
    const shown = this.mustBeSeen && text === this.#code ? this.#verdict : null
    if (shown?.kind === 'refused') {
      this.#options.onVerdict(shown)
      return
    }
    if (this.#line.length >= MOST_IN_LINE) {
      this.#missed += 1
      this.#options.onMissed()
      return
    }
    if (shown?.kind === 'undecided') {
      this.#line = [text, ...this.#line]
      this.#verdict = null
    } else this.#line = [...this.#line, text]
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      while (!this.#isHeld && !this.mustBeSeen) {
        const [text, ...rest] = this.#line
        if (text === undefined) return
        this.#line = rest
        // One that fails, as a sound that can't be played may, does not keep those behind it.
        await this.#decide(text).catch(() => {})
      }
    } finally {
      this.#isWorking = false
    }
  }

  async #decide(text: string): Promise<void> {
    this.#verdict = null
    this.#looked = null
    this.#code = text
    this.#isDeciding = true
    try {
      const { gate } = this.#options
      const scan = { id: crypto.randomUUID(), token: text.slice(0, 200), ...gate() }
      const verdict = await this.#judge(scan)
      if (verdict.kind === 'admitted' && verdict.direction === 'in') this.#countIn(1)
      this.#verdict = verdict
      this.#options.onVerdict(verdict)
    } finally {
      this.#isDeciding = false
    }
  }

  /**
   * The server decides, and without it the device. What the device can not decide the server is asked in any
   * case. Every scan ends with a verdict: the person at the gate waits for a colour, a sound and a word.
   */
  async #judge(scan: Scan): Promise<Verdict> {
    const isAsked = this.isOnline && !this.#needsSignIn
    const answered = isAsked ? await this.#ask(scan) : null
    if (answered) return answered
    const verdict = await this.#decideHere(scan).catch(() => this.#undecided(scan, 'device_failed'))
    if (verdict.kind !== 'undecided' || isAsked || this.#needsSignIn) return verdict
    return (await this.#ask(scan)) ?? verdict
  }

  /** Asks the server; null: it does not answer in time, and the device has to decide. */
  async #ask(scan: Scan): Promise<Verdict | null> {
    const { session, store, deviceId } = this.#options
    this.#sent.add(scan.id)
    const token = () => session.visitor?.token ?? null
    const client = createClient({ baseUrl: location.origin, token, timeoutMs: PATIENCE_MS })
    const { eventId, name, direction } = scan
    try {
      const { data } = await client.call('POST /api/scans', {
        body: {
          token: scan.token,
          device_id: deviceId,
          scan_id: scan.id,
          event_id: eventId,
          direction,
          ...(name !== '' && { gate: name }),
        },
        attempts: 1,
      })
      const at = this.#now()
      const { ticket, entry_id: id, day } = data
      if (ticket && id !== null && day !== null) {
        const entry = { id, direction, day, at, gate: name || null }
        // The server has decided, whether or not the device can note it; its news tell the device again.
        void store.changeTicket(ticket.ticket_id, known => withEntry(known, entry)).catch(() => {})
      }
      this.#answered()
      return verdictOf(data, at)
    } catch (error) {
      this.#failed(error)
      return error instanceof Refused && error.code === 'forbidden'
        ? this.#undecided(scan, 'forbidden')
        : null
    }
  }

  async #decideHere(scan: Scan): Promise<Verdict> {
    const { store, session } = this.#options
    const list = this.#list
    if (!list) return this.#undecided(scan, 'no_list')
    const verifier = await this.#verifierOf(list)
    if (!verifier) return this.#undecided(scan, 'no_ed25519')
    const token = await verifier.verify(scan.token)
    const id = token?.ticketId ?? ''
    const { direction, name } = scan
    const at = this.#now()
    const ticket = await store.readTicket(id)
    const { verdict, day } = decideOffline({ token, direction, at, list, ticket })
    // Another gate without a network may have let them in: the server keeps the exit until it knows.
    const isNoted =
      verdict.kind === 'admitted' || (verdict.kind === 'refused' && verdict.code === 'not_inside')
    if (!isNoted) return verdict
    const gate = name || null
    const waiting = {
      scan_id: scan.id,
      slug: session.slug,
      event_id: scan.eventId,
      ticket_id: id,
      token: scan.token,
      gate,
      direction,
      at,
      day,
      ticket: verdict.ticket,
    }
    const isKept = await store.keepScan(waiting, known => withScan(known, waiting))
    await this.#count().catch(() => {})
    if (isKept && verdict.kind === 'admitted' && verdict.look !== null) this.#looked = waiting
    return isKept ? verdict : this.#undecided(scan, 'no_room')
  }

  #undecided({ direction }: Scan, why: NoDecision): Verdict {
    return { kind: 'undecided', why, direction, at: this.#now(), ticket: null, isOffline: true }
  }

  /** The server's clock: the phone's own may be wrong. */
  #now(): number {
    this.#clockTrouble = this.#clock.trouble(this.#list)
    return this.#clock.now(this.#list)
  }

  #verifierOf({ keys }: GateList): Promise<TokenVerifier | null> {
    const names = JSON.stringify(keys)
    if (!this.#verifier || this.#verifierKeys !== names) {
      this.#verifierKeys = names
      this.#verifier = createVerifier(keys)
    }
    return this.#verifier
  }

  /** Uploads what waits and reads news, for as long as the page is open. */
  async #follow(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      this.#wake = new AbortController()
      if (!this.#needsSignIn) {
        await this.#catchUp(signal).then(
          () => {
            this.#hasStorage = true
          },
          error => this.#failed(error),
        )
      }
      await this.#count().catch(() => {})
      await untilWorthTrying(this.isOnline ? NEWS_EVERY_MS : ASK_EVERY_MS, this.#wake.signal)
    }
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    const { session, store, deviceId, gate } = this.#options
    const { slug, client } = session
    const sending = (scans: readonly WaitingScan[]) => {
      const wanted = scans.filter(scan => !this.#withdrawn.has(scan.scan_id))
      for (const { scan_id } of wanted) this.#sent.add(scan_id)
      return wanted
    }
    // A scan that the server does not take does not keep the device from its news.
    const upload = { slug, deviceId, signal, sending, now: () => this.#now() }
    const refusal = await uploadWaiting(client, store, upload).then(
      () => null,
      (error: unknown) => error,
    )
    if (refusal !== null && !isRefusedAsItIs(refusal)) throw refusal
    this.#isUploadRefused = refusal !== null
    await readNews(client, store, this.#list, {
      slug,
      eventId: gate().eventId,
      signal,
      onPage: list => {
        const isFirst = this.#list === null
        this.#list = list
        if (isFirst) this.#openCount()
        this.#now()
        this.#answered()
        void this.#count().catch(() => {})
      },
    })
  }

  #answered(): void {
    this.#isServerThere = true
    this.#mayNotScan = false
    if (!this.#needsSignIn) this.#refused = null
  }

  #failed(error: unknown): void {
    if (this.#closed.signal.aborted) return
    // A failure on the device itself says nothing of the network.
    if (error instanceof Unreachable) this.#isServerThere = false
    else if (error instanceof Refused) {
      // A server that refuses what it was asked is there.
      this.#isServerThere = error.status < 500 && error.status !== 429
      this.#refused = error
      if (error.code === 'unauthorized') this.#needsSignIn = true
      if (error.code === 'forbidden') this.#mayNotScan = true
    } else if (error instanceof DOMException) this.#hasStorage = false
  }

  #askNow(): void {
    this.#wake.abort()
  }

  async #count(): Promise<void> {
    const { store } = this.#options
    const [waiting, wrong, tickets] = await Promise.all([
      store.countWaiting(),
      store.wrongScans(),
      store.countTickets(),
    ])
    this.#waiting = waiting
    this.#wrong = wrong.sort((a, b) => b.at - a.at)
    this.#tickets = tickets
  }
}

interface Scan extends Gate {
  readonly id: string
  readonly token: string
}

/** The ticket with a scan that waits for the server, if the device counts it. */
function withScan(known: KnownTicket, { scan_id: id, direction, day, at, gate }: WaitingScan): KnownTicket {
  return day === null ? known : withEntry(known, { id, direction, day, at, gate })
}
