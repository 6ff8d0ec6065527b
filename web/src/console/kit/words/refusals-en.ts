import type { StaffRefusalWords } from '../../../kit/words/staff-refusals.ts'

/** Each tells staff why the server refused, and what they can do now. Buyers never meet these. */
export const refusalsEn: StaffRefusalWords = {
  last_admin: () => 'This is the last admin who can sign in. Make another person an admin first.',
  image_not_found: () => 'This picture no longer exists. Upload it again.',
  venue_not_found: () => 'This venue no longer exists. Go back to the list of events.',
  layout_not_found: () => 'This hall no longer exists. Go back to the list of events.',
  precondition_required: () => 'Load it again first: someone may have changed it.',
  precondition_failed: () => 'Someone changed it in the meantime. Load it again.',
  layout_frozen: () => 'The hall cannot be changed while the event is on sale.',
  layout_in_use: () => 'The hall is in use and cannot be changed.',
  csv_invalid: () => 'The file has mistakes in it. Correct them and send it again.',
  ticket_used: () =>
    'This ticket was used at a gate and can’t be moved. If the person must sit elsewhere, sell the other seat as complimentary.',
  seats_differ: ({ reason }) =>
    reason === 'members_zone'
      ? 'These seats are for members. Only tickets of the same zone can be moved there.'
      : 'These seats have another price. Choose seats at the same price, or refund the tickets and sell the other seats.',
  too_many_api_keys: () =>
    'There are too many API keys. End one that no program uses any more, then try again.',
  too_many_ticket_keys: () =>
    'There are too many keys for tickets. Rotate them, and let older tickets stop working.',
  whitelist_full: () => 'The whitelist is full. Remove people from it first.',
  prices_invalid: () => 'The prices have mistakes in them. The organizer has to correct them.',
  image_invalid: ({ reason }) =>
    reason === 'too_many_pixels'
      ? 'This picture is too large. Make it smaller and try again.'
      : 'We can’t read this picture. Use a JPEG, PNG, WebP or AVIF file.',
  images_unavailable: () => 'Pictures can’t be uploaded on this server.',
  layout_invalid: () => 'The hall has mistakes in it. The organizer has to correct them.',
}
