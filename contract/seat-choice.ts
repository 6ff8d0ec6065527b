import { Type } from 'typebox'
import { Strict, Uuid } from './common.ts'

/** Seats that a cart would leave alone, and carts that would not. */
export const Warning = Strict({
  code: Type.Literal('would_strand_seats'),
  message: Type.String(),
  seat_ids: Type.Array(Uuid, { description: 'Seats that would stay alone' }),
  alternatives: Type.Array(
    Strict({
      change: Type.Enum(['add', 'shift', 'move']),
      seat_ids: Type.Array(Uuid, { description: 'All seats of such a cart' }),
      labels: Type.Array(Type.String()),
    }),
  ),
})

/** This is why a buyer got these seats. */
export const Explanation = Strict({
  together: Type.Boolean(),
  last_resort: Type.Boolean({ description: 'Every choice left would leave a seat alone' }),
  clusters: Type.Array(
    Strict({
      zone_id: Uuid,
      zone_name: Type.String(),
      row: Type.String(),
      seat_ids: Type.Array(Uuid),
      labels: Type.Array(Type.String()),
    }),
  ),
  sentence: Type.String(),
})

/** The wish of a buyer who lets the server choose. */
export const BestAvailable = Strict({
  quantity: Type.Integer({ minimum: 1, maximum: 100 }),
  zone_id: Type.Optional(Uuid),
  price_category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Of the price list, or of the layout' }),
  ),
  max_amount: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'What a seat costs at most, by the first ticket type of its category, in minor units',
    }),
  ),
  accessible: Type.Optional(
    Strict({
      wheelchair: Type.Integer({ minimum: 1, maximum: 100, description: 'Wheelchair places among them' }),
      companions: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 100, description: 'Seats beside these for companions' }),
      ),
    }),
  ),
  together: Type.Optional(
    Type.Enum(['required', 'preferred'], {
      description: 'required: side by side, or none. Left out: as the policy says',
    }),
  ),
})
