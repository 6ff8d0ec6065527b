import { parentPort } from 'node:worker_threads'
import {
  type EncodedSeats,
  type EncoderSeats,
  encodeSeats,
  idsAsText,
  type SeatsToEncode,
} from './encode-seats.ts'

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
      readonly job: number
      readonly layout: number
      readonly seats: SeatsToEncode
    }

export interface EncodeAnswer {
  readonly job: number
  readonly encoded: EncodedSeats
}

const layouts = new Map<number, EncoderSeats>()

parentPort!.on('message', (message: EncodeMessage) => {
  switch (message.kind) {
    case 'learn':
      layouts.set(message.layout, { ids: idsAsText(message.ids), zoneOf: message.zoneOf })
      return
    case 'forget':
      layouts.delete(message.layout)
      return
    case 'encode': {
      const encoded = encodeSeats(layouts.get(message.layout)!, message.seats)
      const { bytes, heldOrdinals, heldEnds } = encoded
      const answer: EncodeAnswer = { job: message.job, encoded }
      parentPort!.postMessage(answer, [
        bytes.buffer as ArrayBuffer,
        heldOrdinals.buffer as ArrayBuffer,
        heldEnds.buffer as ArrayBuffer,
      ])
    }
  }
})
