export interface StreamMessage {
  readonly event: string
  readonly id: string | null
  readonly data: string
}

/** No message of the feed comes near this; whatever sends more without an end of message is not the feed. */
const LONGEST_MESSAGE = 64 * 1024 * 1024

/** Messages of a text/event-stream. `onBytes` hears of everything that arrives, heartbeats as well. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      const text = decoder.decode(value, { stream: true })
      rest += text
      // A message ends with an empty line. Most chunks bring one: only then is it worth looking.
      if (!text.includes('\n')) {
        if (rest.length > LONGEST_MESSAGE) throw new Error('a message without an end')
        continue
      }
      const blocks = rest.split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const message = parseMessage(block)
        if (message) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseMessage(block: string): StreamMessage | null {
  let event = 'message'
  let id: string | null = null
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).replace(/^ /, '')
    switch (line.slice(0, colon)) {
      case 'event':
        event = value
        break
      case 'id':
        id = value
        break
      case 'data':
        data.push(value)
        break
    }
  }
  return data.length === 0 ? null : { event, id, data: data.join('\n') }
}
