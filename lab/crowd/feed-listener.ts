import { type ClientRequest, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../found-organization.ts'
import type { FeedLine } from '../judge/history.ts'
import type { LabNode } from '../nemesis/lab-node.ts'
import type { LabEvent } from '../nemesis/site.ts'
import type { Random } from '../random.ts'
import { type AskDeps, ask } from './ask.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/**
 * One reader of an event's live feed, who comes back after every interruption, to whichever node is there.
 */
export class FeedListener {
  readonly #deps: AskDeps & { random: Random }
  readonly #reader: { index: number; person: Person; event: LabEvent }
  #lastSeq: number | null = null
  #connection: ClientRequest | null = null
  #isOver = false
  /** Questions that are still under way. */
  readonly #looks = new Set<Promise<unknown>>()

  constructor(
    deps: AskDeps & { random: Random },
    reader: { index: number; person: Person; event: LabEvent },
  ) {
    this.#deps = deps
    this.#reader = reader
  }

  get lastSeq(): number {
    return this.#lastSeq ?? 0
  }

  get eventId(): string {
    return this.#reader.event.eventId
  }

  get hasHeard(): boolean {
    return this.#lastSeq !== null
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const node = this.#deps.random.pick<LabNode>(this.#deps.nodes)
      if (node.url !== null) await this.#listen(node, node.url)
      if (!this.#isOver) await delay(50 + this.#deps.random.below(200))
    }
    // Nothing may be written into the history once it is closed.
    await Promise.all(this.#looks)
  }

  stop(): void {
    this.#isOver = true
    this.#connection?.destroy()
  }

  #listen(node: LabNode, url: string): Promise<void> {
    const { event, person } = this.#reader
    const isNew = this.#lastSeq === null
    return new Promise(resolve => {
      const outgoing = request(`${url}/api/events/${event.eventId}/live`, {
        agent: false,
        headers: {
          authorization: `Bearer ${person.token}`,
          ...(isNew ? {} : { 'last-event-id': String(this.#lastSeq) }),
        },
      })
      this.#connection = outgoing
      let isFirst = true
      let text = ''
      outgoing.on('response', response => {
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
            const message = text.slice(0, end)
            text = text.slice(end + 2)
            if (this.#hear(node, message, isNew && isFirst)) isFirst = false
          }
        })
        response.on('error', () => {})
        response.on('close', () => resolve())
      })
      outgoing.on('error', () => resolve())
      outgoing.end()
    })
  }

  #hear(node: LabNode, text: string, joined: boolean): boolean {
    const lines = text.split('\n')
    const field = (name: string) =>
      lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
    // The status of the event says nothing of its seats.
    if (field('data') === '' || field('event') === 'status') return false
    const data = JSON.parse(field('data'))
    const message = field('event') as FeedLine['message']
    const seq = Number(field('id'))
    const names = UUID.exec(field('data').replace(/"zone_id":"[^"]+"/g, ''))?.[0]
    const { index, event } = this.#reader
    this.#deps.recorder.write({
      type: 'feed',
      at: performance.now(),
      reader: index,
      node: node.index,
      event: event.eventId,
      message,
      joined,
      seq,
      seats: data.seats ?? [],
      counts: data.occupancy ? countsOf(data.occupancy) : null,
      ...(names !== undefined && { names }),
    })
    // A client that has to start again goes back as well.
    if (message === 'reset') {
      this.#lastSeq = seq
      const { person } = this.#reader
      const look = ask(this.#deps, { person, node, event, command: { kind: 'look' } }).finally(() =>
        this.#looks.delete(look),
      )
      this.#looks.add(look)
    } else this.#lastSeq = Math.max(seq, this.#lastSeq ?? 0)
    return true
  }
}

function countsOf({ held, sold, blocked, available }: FeedLine['counts'] & object): FeedLine['counts'] {
  return { held, sold, blocked, available }
}
