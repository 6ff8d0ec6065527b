import type { StaffRefusalWords } from '../../../kit/words/staff-refusals.ts'

export const refusalsAf: StaffRefusalWords = {
  last_admin: () =>
    'Dit is die laaste administrateur wat kan aanmeld. Maak eers iemand anders ’n administrateur.',
  image_not_found: () => 'Hierdie prent bestaan nie meer nie. Laai dit weer op.',
  venue_not_found: () => 'Hierdie lokaal bestaan nie meer nie. Gaan terug na die lys van geleenthede.',
  layout_not_found: () => 'Hierdie saal bestaan nie meer nie. Gaan terug na die lys van geleenthede.',
  precondition_required: () => 'Laai dit eers weer: iemand het dit dalk verander.',
  precondition_failed: () => 'Iemand het dit intussen verander. Laai dit weer.',
  layout_frozen: () => 'Die saal kan nie verander word terwyl kaartjies te koop is nie.',
  layout_in_use: () => 'Die saal is in gebruik en kan nie verander word nie.',
  csv_invalid: () => 'Daar is foute in die lêer. Maak dit reg en stuur dit weer.',
  ticket_used: () =>
    'Hierdie kaartjie is by ’n hek gebruik en kan nie geskuif word nie. As die persoon elders moet sit, verkoop die ander sitplek as gratis kaartjie.',
  seats_differ: ({ reason }) =>
    reason === 'members_zone'
      ? 'Hierdie sitplekke is vir lede. Net kaartjies van dieselfde sone kan daarheen geskuif word.'
      : 'Hierdie sitplekke het ’n ander prys. Kies sitplekke teen dieselfde prys, of betaal die kaartjies terug en verkoop die ander sitplekke.',
  too_many_api_keys: () =>
    'Daar is te veel API-sleutels. Beëindig een wat geen program meer gebruik nie, en probeer dan weer.',
  too_many_ticket_keys: () =>
    'Daar is te veel sleutels vir kaartjies. Vervang hulle, en laat ouer kaartjies ophou werk.',
  whitelist_full: () => 'Die witlys is vol. Verwyder eers mense daaruit.',
  prices_invalid: () => 'Daar is foute in die pryse. Die organiseerder moet dit regmaak.',
  image_invalid: ({ reason }) =>
    reason === 'too_many_pixels'
      ? 'Hierdie prent is te groot. Maak dit kleiner en probeer weer.'
      : 'Ons kan nie hierdie prent lees nie. Gebruik ’n JPEG-, PNG-, WebP- of AVIF-lêer.',
  images_unavailable: () => 'Prente kan nie op hierdie bediener opgelaai word nie.',
  layout_invalid: () => 'Daar is foute in die saal. Die organiseerder moet dit regmaak.',
}
