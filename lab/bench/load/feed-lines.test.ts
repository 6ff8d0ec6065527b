import { describe, expect, it } from 'vitest'
import { FeedLines } from './feed-lines.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const seats = (seq: number, ...ordinals: number[]) => {
  const data = JSON.stringify({ seq, seats: ordinals.map(ordinal => [ordinal, 'held']) })
  return chunk(`id: ${seq}\nevent: seats\ndata: ${data}\n\n`)
}
const RESET = chunk('event: reset\nid: 9\ndata: {"seq":9}\n\n')
const BEAT = chunk(': still here\n\n')
const WHOLE = HEAD + seats(4) + BEAT + seats(5, 1) + seats(7, 2, 3) + RESET

describe('the lines of a feed', () => {
  const expected = [
    { kind: 'seats', seq: 4, seats: [] },
    { kind: 'seats', seq: 5, seats: [[1, 'held']] },
    {
      kind: 'seats',
      seq: 7,
      seats: [
        [2, 'held'],
        [3, 'held'],
      ],
    },
    { kind: 'reset', seq: 9, seats: [] },
  ]

  it.each([WHOLE.length, 1, 7, 50, 64])('are read in pieces of %i bytes', size => {
    const lines = new FeedLines()
    const messages: unknown[] = []
    for (let from = 0; from < WHOLE.length; from += size) {
      messages.push(...lines.read(Buffer.from(WHOLE.slice(from, from + size))))
    }
    expect(messages).toEqual(expected)
    expect(lines.status).toBe('200')
  })

  it('are the same for every reader, also when the same piece comes twice', () => {
    const readers = [new FeedLines(), new FeedLines()]
    for (const lines of readers) lines.read(Buffer.from(HEAD + seats(4)))
    const both = readers.map(lines => lines.read(Buffer.from(seats(5, 1))))
    expect(both[0]).toEqual(both[1])
    expect(readers[0]!.read(Buffer.from(seats(5, 1)))).toEqual(both[0])
  })
})
