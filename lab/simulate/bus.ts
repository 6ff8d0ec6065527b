import type { Bus } from '@voelgoed/engine/ports/bus'
import { Random } from '../random.ts'
import type { Process, Scheduler } from './scheduler.ts'

type Notice = (bus: SimulatedBus) => void

/** Nodes hear of each other through these: every node that listens hears each notice, its own too. */
export class Notices {
  readonly #scheduler: Scheduler
  readonly #random: Random
  readonly #buses = new Set<SimulatedBus>()
  #isFaulty: boolean

  constructor(scheduler: Scheduler, seed: number, isFaulty: boolean) {
    this.#scheduler = scheduler
    this.#random = new Random(seed, 5)
    this.#isFaulty = isFaulty
  }

  create(process: Process): SimulatedBus {
    for (const bus of this.#buses) if (!bus.process.isAlive) this.#buses.delete(bus)
    const bus = new SimulatedBus(this, process)
    this.#buses.add(bus)
    return bus
  }

  /** The node begins to listen, a moment from now. */
  listen(bus: SimulatedBus): void {
    this.#listenIn(bus, this.#random.next() * 20)
  }

  /** From now on every node hears every notice. */
  heal(): void {
    this.#isFaulty = false
  }

  /** To every node that listens when it is sent: to some late, to some twice, to some not at all. */
  send(from: SimulatedBus, notice: Notice): void {
    if (!from.isListening) return
    for (const to of this.#buses) {
      if (!to.isListening) continue
      if (this.#isFaulty && this.#random.chance(0.04)) this.goDeaf(to)
      const times = this.#isFaulty ? this.#random.pick([0, 0, 1, 1, 1, 2]) : 1
      for (let left = times; left > 0; left -= 1) {
        const isLate = this.#isFaulty && this.#random.chance(0.3)
        const ms = 0.5 + this.#random.next() * (isLate ? 3_000 : 10)
        this.#scheduler.schedule(ms, to.process, 'hears a notice', () => {
          if (to.isListening) notice(to)
        })
      }
    }
  }

  /** It listens again by itself. */
  goDeaf(bus: SimulatedBus): void {
    this.#scheduler.note(bus.process.name, 'goes deaf')
    bus.setListening(false)
    this.#listenIn(bus, 20 + this.#random.next() * 2_000)
  }

  #listenIn(bus: SimulatedBus, ms: number): void {
    this.#scheduler.schedule(ms, bus.process, 'listens', () => bus.setListening(true))
  }
}

/** The bus of one node, for as long as its process lives. */
export class SimulatedBus implements Bus {
  isListening = false
  readonly process: Process
  readonly #notices: Notices
  readonly #heard: Parameters<Bus['onHeard']>[0][] = []
  readonly #asked: Parameters<Bus['onAsked']>[0][] = []
  readonly #listening: (() => void)[] = []

  constructor(notices: Notices, process: Process) {
    this.#notices = notices
    this.process = process
  }

  tell(...moved: Parameters<Bus['tell']>): void {
    this.#notices.send(this, bus => {
      for (const heard of bus.#heard) heard(...moved)
    })
  }

  onHeard(heard: Parameters<Bus['onHeard']>[0]): void {
    this.#heard.push(heard)
  }

  async ask(ask: Parameters<Bus['ask']>[0]): Promise<boolean> {
    if (!this.isListening) return false
    this.#notices.send(this, bus => {
      if (bus !== this) for (const asked of bus.#asked) asked(ask)
    })
    return true
  }

  onAsked(asked: Parameters<Bus['onAsked']>[0]): void {
    this.#asked.push(asked)
  }

  onListening(began: () => void): void {
    this.#listening.push(began)
  }

  setListening(yes: boolean): void {
    if (this.isListening === yes) return
    this.isListening = yes
    if (yes) for (const began of this.#listening) began()
  }
}
