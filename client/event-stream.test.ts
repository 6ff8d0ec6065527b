import { expect, it } from 'vitest'
import { readEventStream } from './event-stream.ts'

async function read(...chunks: string[]) {
  const encoder = new TextEncoder()
  let heard = 0
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    },
  })
  const messages = []
  for await (const message of readEventStream(body, () => heard++)) messages.push(message)
  return { messages, heard }
}

it('reads messages wherever the chunks are cut, and hears heartbeats', async () => {
  const text = 'id: 7\nevent: seats\ndata: {"seq":7}\n\n: still here\n\nevent: reset\ndata: é\n\n'
  const expected = [
    { event: 'seats', id: '7', data: '{"seq":7}' },
    { event: 'reset', id: null, data: 'é' },
  ]
  for (let at = 1; at < text.length; at += 1) {
    const { messages, heard } = await read(text.slice(0, at), text.slice(at))
    expect(messages).toEqual(expected)
    expect(heard).toBe(2)
  }
})

it('what was begun and not ended is no message', async () => {
  expect((await read('data: half')).messages).toEqual([])
})
