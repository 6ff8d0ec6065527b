import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Cluster, Redis } from 'ioredis'
import { readMoved } from '../base/moved-message.ts'
import type { Time } from '../base/time.ts'
import type { RedisConnection } from './connection.ts'
import { BUS_CHANNELS, busChannel } from './keys.ts'

const BEAT_EVERY_MS = 500
/** After more than so many beats that did not come back, this node does not hear the others either. */
const MAX_LOST_BEATS = 2
/** After more than so many it subscribes again, on a new connection. */
const BEATS_OF_A_SUBSCRIPTION = 4
/** Events with something to tell. When there are more, those that wait longest are not told about. */
const MAX_UNTOLD = 10_000
const MAX_IN_MESSAGE = 500
const COMPLAIN_EVERY_MS = 60_000

type Moved = (organizationId: string, eventId: string, seq: number) => void

export interface PubSubDeps {
  readonly redis: Pick<RedisConnection, 'publish' | 'subscriber'>
  readonly time: Time
  readonly log: FastifyBaseLogger
}

/**
 * Tells the other nodes by Redis which events have moved on, and hears it from them. Messages may be lost;
 * that this node hears none is noticed: it sends itself a beat on every channel, and listens only as long
 * as they come back. Sharded pub/sub, which a single server knows as well: in a Cluster a message stays
 * with one master.
 *
 * A message has a line for each event, `<organization>:<event>:<seq>`; a beat is
 * `beat:<subscription>:<number>`.
 */
export class PubSub {
  isListening = false
  /** `told`: events, not messages. `dropped`: of too many events. */
  readonly counts = { told: 0, dropped: 0, malformed: 0 }
  readonly #deps: PubSubDeps
  readonly #heard: Moved[] = []
  readonly #untellable: Moved[] = []
  readonly #onListening: ((yes: boolean) => void)[] = []
  #untold = new Map<string, number>()
  #isTelling = false
  #subscriber: Redis | Cluster | null = null
  #subscription = ''
  #isSubscribed = false
  /** The number of the last beat of this subscription, and those that came back, by channel. */
  #lastBeat = 0
  readonly #beatsBack = new Map<string, number>()
  /** Beats since the last one that came back on every channel. */
  #lostBeats = 0
  #endTimer = () => {}
  #isStopped = false
  #lastComplaintAt = Number.NEGATIVE_INFINITY

  constructor(deps: PubSubDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#endTimer = this.#deps.time.every(BEAT_EVERY_MS, () => this.#beat())
    this.#subscribe()
  }

  stop(): void {
    this.#isStopped = true
    this.#endTimer()
    this.isListening = false
    this.#drop()
  }

  onHeard(heard: Moved): void {
    this.#heard.push(heard)
  }

  /** Called with what could not be told. */
  onUntold(untold: Moved): void {
    this.#untellable.push(untold)
  }

  onListeningChange(changed: (yes: boolean) => void): void {
    this.#onListening.push(changed)
  }

  /** Never waits and never throws. What an event has to tell in one turn of the loop is told once. */
  tell(organizationId: string, eventId: string, seq: number): void {
    const event = `${organizationId}:${eventId}`
    if (this.#untold.size >= MAX_UNTOLD && !this.#untold.has(event)) {
      this.#untold.delete(this.#untold.keys().next().value!)
      this.counts.dropped += 1
    }
    this.#untold.set(event, seq)
    if (this.#isTelling) return
    this.#isTelling = true
    this.#deps.time.soon(() => void this.#tellAll())
  }

  /** One round at a time: what gathers meanwhile goes with the next. */
  async #tellAll(): Promise<void> {
    while (this.#untold.size > 0) {
      const untold = this.#untold
      this.#untold = new Map()
      await Promise.all(messagesOf(untold).map(message => this.#send(message)))
    }
    this.#isTelling = false
  }

  async #send({ channel, moves }: Message): Promise<void> {
    try {
      await this.#deps.redis.publish(channel, moves.map(([event, seq]) => `${event}:${seq}`).join('\n'))
      this.counts.told += moves.length
    } catch {
      // A Redis that can't be told anything is not heard either.
      this.#setListening(false)
      for (const [event, seq] of moves) {
        const [organizationId = '', eventId = ''] = event.split(':')
        for (const untold of this.#untellable) untold(organizationId, eventId, seq)
      }
    }
  }

  /** Each half a second: says something to itself, and looks whether it heard what it said before. */
  #beat(): void {
    this.#lostBeats += 1
    if (this.isListening && this.#lostBeats > MAX_LOST_BEATS) {
      // After what has arrived while this process was busy.
      this.#deps.time.soon(() => {
        if (this.#lostBeats > MAX_LOST_BEATS) this.#setListening(false)
      })
    } else if (!this.#subscriber || (!this.isListening && this.#lostBeats > BEATS_OF_A_SUBSCRIPTION)) {
      this.#subscribe()
    }
    if (this.#isSubscribed) this.#sendBeat()
  }

  #sendBeat(): void {
    this.#lastBeat += 1
    const text = `beat:${this.#subscription}:${this.#lastBeat}`
    for (const channel of BUS_CHANNELS) {
      this.#deps.redis.publish(channel, text).catch(() => this.#setListening(false))
    }
  }

  #subscribe(): void {
    this.#drop()
    this.#lostBeats = 0
    this.#lastBeat = 0
    this.#beatsBack.clear()
    this.#subscription = randomUUID()
    const subscriber = this.#deps.redis.subscriber()
    this.#subscriber = subscriber
    const isCurrent = () => this.#subscriber === subscriber
    // Without a listener an error of the connection would end the process.
    subscriber.on('error', () => {})
    subscriber.on('close', () => isCurrent() && this.#drop())
    // One of the connections of a Cluster. The client would make another one, and not say what it missed.
    subscriber.on('-node', () => isCurrent() && this.#isSubscribed && this.#drop())
    subscriber.on('smessage', (channel: string, text: string) => {
      if (isCurrent()) this.#received(channel, text)
    })
    listenTo(subscriber, BUS_CHANNELS).then(
      () => {
        if (!isCurrent()) return
        this.#isSubscribed = true
        this.#sendBeat()
      },
      () => isCurrent() && this.#drop(),
    )
  }

  /** The next beat makes another one. */
  #drop(): void {
    const subscriber = this.#subscriber
    this.#subscriber = null
    this.#isSubscribed = false
    subscriber?.disconnect()
    this.#setListening(false)
  }

  #received(channel: string, text: string): void {
    if (text.startsWith('beat:')) {
      const [, subscription, number] = text.split(':', 3)
      if (subscription === this.#subscription) this.#beatCameBack(channel, Number(number))
      return
    }
    for (const line of text.split('\n', MAX_IN_MESSAGE)) {
      const moved = readMoved(line)
      if (!moved) {
        this.#complain(channel)
        return
      }
      for (const heard of this.#heard) heard(moved.organizationId, moved.eventId, moved.seq)
    }
  }

  #beatCameBack(channel: string, number: number): void {
    this.#beatsBack.set(channel, number)
    if (this.#beatsBack.size < BUS_CHANNELS.length) return
    this.#lostBeats = this.#lastBeat - Math.min(...this.#beatsBack.values())
    if (this.#lostBeats === 0) this.#setListening(true)
  }

  /** Any client of this Redis may publish. The text stays out of the log: it is not ours. */
  #complain(channel: string): void {
    this.counts.malformed += 1
    const { time, log } = this.#deps
    if (time.now() - this.#lastComplaintAt < COMPLAIN_EVERY_MS) return
    this.#lastComplaintAt = time.now()
    log.warn({ channel, malformed: this.counts.malformed }, 'a message on the bus was not understood')
  }

  #setListening(yes: boolean): void {
    if (this.#isStopped || this.isListening === yes) return
    this.isListening = yes
    for (const changed of this.#onListening) changed(yes)
  }
}

async function listenTo(subscriber: Redis | Cluster, channels: readonly string[]): Promise<void> {
  await subscriber.connect()
  // One by one: they are in different slots.
  await Promise.all(channels.map(channel => subscriber.ssubscribe(channel)))
}

interface Message {
  readonly channel: string
  readonly moves: readonly (readonly [event: string, seq: number])[]
}

function messagesOf(untold: ReadonlyMap<string, number>): Message[] {
  const byChannel = new Map<string, [string, number][]>()
  for (const move of untold) {
    const channel = busChannel(move[0].slice(move[0].indexOf(':') + 1))
    const moves = byChannel.get(channel)
    if (moves) moves.push(move)
    else byChannel.set(channel, [move])
  }
  const messages: Message[] = []
  for (const [channel, moves] of byChannel) {
    for (let from = 0; from < moves.length; from += MAX_IN_MESSAGE) {
      messages.push({ channel, moves: moves.slice(from, from + MAX_IN_MESSAGE) })
    }
  }
  return messages
}
