/** One message of a feed: what it says, and how far it goes. */
export interface FeedMessage {
  readonly kind: 'seats' | 'reset'
  readonly seq: number
  readonly seats: readonly (readonly [ordinal: number, status: string])[]
}

const NOTHING: readonly FeedMessage[] = []

/**
 * Reads the bytes of one feed. All readers of an event get the same bytes, mostly one message in one piece,
 * so a piece that another reader had just before is not read again:
 * thousands of readers cost little more than one.
 */
export class FeedLines {
  static #lastPiece: Buffer = Buffer.alloc(0)
  static #lastMessages: readonly FeedMessage[] = NOTHING
  #rest = ''
  #isBegun = false
  /** The status of the answer, once it is there. */
  status: string | null = null

  read(piece: Buffer): readonly FeedMessage[] {
    if (!this.#isBegun || this.#rest !== '') return this.#readText(piece.toString('latin1'))
    if (piece.equals(FeedLines.#lastPiece)) return FeedLines.#lastMessages
    const messages = this.#readText(piece.toString('latin1'))
    if (this.#rest === '') {
      FeedLines.#lastPiece = piece
      FeedLines.#lastMessages = messages
    }
    return messages
  }

  #readText(text: string): readonly FeedMessage[] {
    let all = this.#rest + text
    if (!this.#isBegun) {
      const headEnds = all.indexOf('\r\n\r\n')
      if (headEnds < 0) {
        this.#rest = all
        return NOTHING
      }
      this.status = all.slice(9, 12)
      this.#isBegun = true
      all = all.slice(headEnds + 4)
    }
    const messages: FeedMessage[] = []
    let from = 0
    for (;;) {
      const end = all.indexOf('\n\n', from)
      if (end < 0) break
      const message = readMessage(all.slice(from, end))
      if (message) messages.push(message)
      from = end + 2
    }
    // Only the end of a chunk of the transfer encoding may stand after a message.
    const rest = all.slice(from)
    this.#rest = rest === '\r\n' ? '' : rest
    return messages
  }
}

/**
 * Null: a heartbeat, or the status of the event. The server writes a message in one chunk,
 * so no frame stands within its lines.
 */
function readMessage(block: string): FeedMessage | null {
  const seq = /(?:^|\n)id: (\d+)/.exec(block)?.[1]
  const data = /(?:^|\n)data: (.*)/.exec(block)?.[1]
  if (seq === undefined || data === undefined || block.includes('event: status')) return null
  if (block.includes('event: reset')) return { kind: 'reset', seq: Number(seq), seats: [] }
  const { seats } = JSON.parse(data) as { seats: [number, string][] }
  return { kind: 'seats', seq: Number(seq), seats }
}
