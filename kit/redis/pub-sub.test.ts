import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Time } from '../base/time.ts'
import { BUS_CHANNELS, busChannel } from './keys.ts'
import { PubSub, type PubSubDeps } from './pub-sub.ts'

const log = pino({ level: 'silent' })
const organization = randomUUID()

/** A Redis that hears what it is told when the test says so, and turns of the loop that do the same. */
class Ground {
  readonly published: { channel: string; text: string; succeed(): void; fail(): void }[] = []
  readonly subscribers: EventEmitter[] = []
  readonly #soon: (() => void)[] = []
  #beat = () => {}
  readonly untold: number[] = []
  readonly heard: number[] = []
  readonly pubSub: PubSub

  constructor() {
    const time: Time = {
      now: () => 0,
      soon: run => void this.#soon.push(run),
      after: () => () => {},
      every: (_ms, run) => {
        this.#beat = run
        return () => {}
      },
    }
    const redis = {
      publish: (channel: string, text: string) =>
        new Promise<void>((resolve, reject) => {
          this.published.push({ channel, text, succeed: resolve, fail: () => reject(new Error('no Redis')) })
        }),
      subscriber: () => {
        const subscriber = Object.assign(new EventEmitter(), {
          connect: async () => {},
          ssubscribe: async () => {},
          disconnect: () => {},
        })
        this.subscribers.push(subscriber)
        return subscriber
      },
    }
    this.pubSub = new PubSub({ redis, time, log } as unknown as PubSubDeps)
    this.pubSub.onUntold((_organization, _event, seq) => this.untold.push(seq))
    this.pubSub.onHeard((_organization, _event, seq) => this.heard.push(seq))
  }

  async turn(): Promise<void> {
    for (const run of this.#soon.splice(0)) run()
    for (let times = 0; times < 10; times += 1) await Promise.resolve()
  }

  async beat(): Promise<void> {
    this.#beat()
    await this.turn()
  }

  /** All that was published arrives, in order; on these channels. */
  async deliver(channels: readonly string[] = BUS_CHANNELS): Promise<void> {
    for (const { channel, text, succeed } of this.published.splice(0)) {
      succeed()
      if (channels.includes(channel)) this.subscribers.at(-1)!.emit('smessage', channel, text)
    }
    await this.turn()
  }

  async listening(): Promise<this> {
    this.pubSub.start()
    await this.turn()
    await this.deliver()
    expect(this.pubSub.isListening).toBe(true)
    return this
  }
}

it('an event that moves often is told about once in a turn, with its latest seq', async () => {
  const on = await new Ground().listening()
  const [event, other] = [randomUUID(), randomUUID()]
  for (let seq = 1; seq <= 100; seq += 1) on.pubSub.tell(organization, event, seq)
  on.pubSub.tell(organization, other, 7)
  expect(on.published).toEqual([])
  await on.turn()
  const lines = on.published.flatMap(({ text }) => text.split('\n'))
  expect(lines.sort()).toEqual([`${organization}:${event}:100`, `${organization}:${other}:7`].sort())
  // Messages that come while this is on its way go together, afterwards.
  const before = on.published.length
  for (let seq = 101; seq <= 200; seq += 1) {
    on.pubSub.tell(organization, event, seq)
    await on.turn()
  }
  expect(on.published.length).toBe(before)
  await on.deliver()
  expect(on.published.map(({ channel, text }) => [channel, text])).toEqual([
    [busChannel(event), `${organization}:${event}:200`],
  ])
})

it('more events than it keeps: those that wait longest are not told about', async () => {
  const on = await new Ground().listening()
  for (let seq = 1; seq <= 10_005; seq += 1) on.pubSub.tell(organization, randomUUID(), seq)
  expect(on.pubSub.counts.dropped).toBe(5)
  await on.turn()
  const lines = on.published.map(({ text }) => text.split('\n').length)
  expect(lines.reduce((sum, count) => sum + count, 0)).toBe(10_000)
  expect(Math.max(...lines)).toBeLessThanOrEqual(500)
  await on.deliver()
  expect(Math.min(...on.heard)).toBe(6)
})

it('what can not be told is handed back, and this node listens no more until a beat comes back', async () => {
  const on = await new Ground().listening()
  on.pubSub.tell(organization, randomUUID(), 3)
  await on.turn()
  on.published.splice(0)[0]!.fail()
  await on.turn()
  expect(on.untold).toEqual([3])
  expect(on.pubSub.isListening).toBe(false)
  await on.beat()
  await on.deliver()
  expect(on.pubSub.isListening).toBe(true)
})

it('it does not listen before a beat came back on every channel', async () => {
  const on = new Ground()
  on.pubSub.start()
  await on.turn()
  await on.deliver(BUS_CHANNELS.slice(1))
  expect(on.pubSub.isListening).toBe(false)
  await on.beat()
  await on.deliver()
  expect(on.pubSub.isListening).toBe(true)
})

it('beats of one channel that do not come back: it is deaf, and subscribes again', async () => {
  const on = await new Ground().listening()
  for (let lost = 1; lost <= 3; lost += 1) {
    expect(on.pubSub.isListening).toBe(true)
    await on.beat()
    await on.deliver(BUS_CHANNELS.slice(1))
  }
  expect(on.pubSub.isListening).toBe(false)
  for (let lost = 1; lost <= 2; lost += 1) {
    await on.beat()
    await on.deliver(BUS_CHANNELS.slice(1))
  }
  expect(on.subscribers).toHaveLength(2)
  await on.beat()
  await on.deliver()
  expect(on.pubSub.isListening).toBe(true)
})

it('a connection that is lost: it listens no more at once, and subscribes with the next beat', async () => {
  const on = await new Ground().listening()
  on.subscribers[0]!.emit('close')
  expect(on.pubSub.isListening).toBe(false)
  await on.beat()
  await on.deliver()
  expect(on.subscribers).toHaveLength(2)
  expect(on.pubSub.isListening).toBe(true)
})

it('what is no message of ours is counted and not heard', async () => {
  const on = await new Ground().listening()
  const event = randomUUID()
  for (const text of ['', 'hello', `${organization}:${event}:reload`, 'beat', '\n'.repeat(1e6)]) {
    on.subscribers[0]!.emit('smessage', BUS_CHANNELS[0], text)
  }
  expect(on.heard).toEqual([])
  expect(on.pubSub.counts.malformed).toBe(5)
  on.subscribers[0]!.emit('smessage', BUS_CHANNELS[0], `beat:${randomUUID()}:99\n`)
  expect(on.pubSub.isListening).toBe(true)
})
