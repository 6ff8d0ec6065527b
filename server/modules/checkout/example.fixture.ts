import type { Example } from '@voelgoed/testing/example'

/** A buyer is about to pay for one of two places. The organizer has sold by then: prices come after. */
export const example: Example = {
  needs: ['event', 'order'],
  async make(ask, ids) {
    const event = `/api/admin/events/${ids.event}`
    const layout = await ask('customer', 'GET', `/api/events/${ids.event}/layout`)
    const zone = layout.zones[1].zone_id
    const places = await ask('customer', 'POST', `/api/events/${ids.event}/holds`, {
      zone_id: zone,
      quantity: 2,
    })
    const adult = { key: 'adult', name: 'Adult', amount: 25_000 }
    const categories = [{ key: 'pit', name: 'Pit', ticket_types: [adult] }]
    await ask(
      'organizer',
      'PUT',
      `${event}/prices`,
      { currency: 'ZAR', categories, zones: { [zone]: 'pit' } },
      { 'if-match': '"0"' },
    )
    const checkout = await ask('customer', 'POST', '/api/checkouts', {
      event_id: ids.event,
      hold_ids: [places.holds[0].hold_id],
      contact: { name: 'Ben', email: 'buyer@example.org' },
    })
    return { checkout: checkout.checkout_id }
  },
}
