import { Handed } from '@voelgoed/kit/threads/task'
import { type EncoderSeats, encodeSeats, idsAsText, type SeatsToEncode } from './encode-seats.ts'

/**
 * To the thread that encodes availability. `layout` numbers the seats of a layout version, which it keeps.
 */
export type EncodeMessage =
  | {
      readonly kind: 'learn'
      readonly layout: number
      /** By ordinal, four words each. */
      readonly ids: Int32Array
      readonly zoneOf: Uint16Array
    }
  | { readonly kind: 'forget'; readonly layout: number }
  | {
      readonly kind: 'encode'
      readonly layout: number
      readonly seats: SeatsToEncode
    }

const layouts = new Map<number, EncoderSeats>()

/** In a thread: the availability of events, of whose layout versions it has learned. */
export function encodeTask(message: EncodeMessage): Handed | undefined {
  switch (message.kind) {
    case 'learn':
      layouts.set(message.layout, { ids: idsAsText(message.ids), zoneOf: message.zoneOf })
      return undefined
    case 'forget':
      layouts.delete(message.layout)
      return undefined
    case 'encode': {
      const encoded = encodeSeats(layouts.get(message.layout)!, message.seats)
      return new Handed(encoded, [encoded.bytes, encoded.heldOrdinals, encoded.heldEnds])
    }
  }
}
