import { afterEach, expect, it } from 'vitest'
import type { Client } from './client.ts'
import { type Following, followEvent } from './follow.ts'

let following: Following | null = null
afterEach(() => following?.stop())

const occupancy = { zones: [] }
const changesAt = (seq: number, ordinal: number) =>
  `id: ${seq}\nevent: seats\ndata: ${JSON.stringify({ seq, seats: [[ordinal, 'held']], occupancy })}\n\n`

/** A server that answers each snapshot and each stream with the next of these. The last stream stays open. */
function server(snapshots: number[], streams: string[]) {
  const asked: (string | null)[] = []
  const client = {
    baseUrl: 'http://localhost',
    bytes: async () => ({
      bytes: new Uint8Array(1),
      headers: new Headers({ 'voelgoed-seq': String(snapshots.shift()) }),
    }),
  } as unknown as Client
  const send = (async (_url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(headers['last-event-id'] ?? null)
    const text = streams.shift()!
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text))
      },
    })
    return new Response(body)
  }) as unknown as typeof fetch
  return { client, send, asked }
}

it('a reset with a smaller seq than it knows: it starts again there, and hears the next changes', async () => {
  // The server has lost its last ten changes, and one node finds out later than the others.
  const { client, send, asked } = server(
    [100, 100, 90],
    [
      `${changesAt(101, 0)}event: reset\nid: 90\ndata: {"seq":90}\n\n`,
      'event: reset\nid: 90\ndata: {"seq":90}\n\n',
      changesAt(91, 1) + changesAt(92, 2),
    ],
  )
  const heard: string[] = []
  await new Promise<void>(resolve => {
    following = followEvent(
      client,
      { eventId: 'e', token: () => null, send },
      {
        onSnapshot: ({ seq }) => heard.push(`snapshot ${seq}`),
        onChanges: ({ seq }) => {
          heard.push(`changes ${seq}`)
          if (seq === 92) resolve()
        },
      },
    )
  })
  expect(heard).toEqual([
    'snapshot 100',
    'changes 101',
    'snapshot 100',
    'snapshot 90',
    'changes 91',
    'changes 92',
  ])
  expect(asked).toEqual(['100', '100', '90'])
})
