import type { Problem, RefusalCode } from '@voelgoed/client'

/** Buyers’ pages never do what these refuse. */
const STAFF_REFUSALS = [
  'last_admin',
  'image_not_found',
  'venue_not_found',
  'layout_not_found',
  'precondition_required',
  'precondition_failed',
  'layout_frozen',
  'layout_in_use',
  'csv_invalid',
  'ticket_used',
  'seats_differ',
  'too_many_api_keys',
  'too_many_ticket_keys',
  'whitelist_full',
  'prices_invalid',
  'image_invalid',
  'images_unavailable',
  'layout_invalid',
] as const satisfies readonly RefusalCode[]

export type StaffRefusal = (typeof STAFF_REFUSALS)[number]
export type StaffRefusalWords = Readonly<Record<StaffRefusal, (problem: Problem) => string>>

/** Should a buyer meet one all the same, it has a sentence. */
export function ofStaff(sentence: (problem: Problem) => string): StaffRefusalWords {
  return Object.fromEntries(STAFF_REFUSALS.map(code => [code, sentence])) as unknown as StaffRefusalWords
}
