import { readOrganization } from '@voelgoed/contract/organization'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { useServer } from '@voelgoed/testing/use-server'
import { describe, expect, it } from 'vitest'

const { server, ours } = useServer()

const SELLER = {
  legal_name: 'Karoo Stage (Pty) Ltd',
  vat_number: '4012345678',
  phone: '+27 (0)44 123-4567',
  terms_url: null,
  terms: 'A ticket lets one person in.\n\nLatecomers wait for the interval.',
  refund_rule: 'Until two days before, for 90 % of the price.',
}
const NOTHING = Object.fromEntries(Object.keys(SELLER).map(member => [member, null]))

const change = (body: object, token = ours.tokens.admin) =>
  server.request('PATCH', '/api/admin/organization/seller', { token, body })
const shown = (slug = ours.slug) => server.request('GET', `/api/organization/seller?organization=${slug}`)

describe('the seller', () => {
  it('is only a name until an admin says more, which everyone reads without a session', async () => {
    const before = await shown()
    expect(before.body.data).toEqual({ name: expect.any(String), email: null, ...NOTHING })
    expect((await change(SELLER)).body.data).toEqual(SELLER)
    const support_email = 'help@karoo.example'
    const { organizer } = ours.tokens
    await server.request('PATCH', readOrganization.path, { token: organizer, body: { support_email } })
    const after = await shown()
    expect(after.body.data).toEqual({ name: before.body.data.name, email: support_email, ...SELLER })
    const settings = await server.request('GET', readOrganization.path, { token: ours.tokens.support })
    expect(settings.body.data.seller).toEqual(SELLER)
  })

  it('a change says in the audit log what was there before; what changes nothing leaves no trace', async () => {
    await change({ ...NOTHING, phone: '012 345 6789' })
    await change({ phone: '012 345 9999', legal_name: null })
    await change({ phone: '012 345 9999' })
    const { body } = await server.request('GET', '/api/admin/audit?action=seller_updated&limit=2', {
      token: ours.tokens.admin,
    })
    const [last, first] = body.data
    expect(last.changes).toEqual({ phone: { before: '012 345 6789', after: '012 345 9999' } })
    expect(first.changes.phone.after).toBe('012 345 6789')
  })

  it('has terms as a text or at an address, and not both', async () => {
    await change(NOTHING)
    const terms_url = 'https://karoo.example/terms'
    const both = await change({ terms: SELLER.terms, terms_url })
    expect(both).toMatchObject({ status: 400, body: { errors: [{ path: '/terms_url' }] } })
    expect((await change({ terms: SELLER.terms })).status).toBe(200)
    expect((await change({ terms_url })).status).toBe(400)
    const instead = await change({ terms_url, terms: null })
    expect(instead.body.data).toMatchObject({ terms_url, terms: null })
  })

  it.each([
    ['legal_name', 'Two\nlines'],
    ['legal_name', 'x'.repeat(201)],
    ['vat_number', 'x'.repeat(41)],
    ['phone', 'call me'],
    ['phone', '1'.repeat(41)],
    ['terms_url', 'http://karoo.example/terms'],
    ['terms_url', 'https://karoo.example:port/'],
    ['terms_url', 'javascript:alert(1)'],
    ['terms', ' \n '],
    ['terms', 'x'.repeat(9_001)],
    ['refund_rule', 'x'.repeat(2_001)],
  ])('%s is refused where it is not sound (%#)', async (member, value) => {
    const refused = await change({ terms: null, terms_url: null, [member]: value })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: `/${member}` }] } })
  })

  it('admins alone change it; a suspended organization shows it and changes nothing', async () => {
    for (const role of ['organizer', 'support', 'scanner', 'customer'] as const) {
      expect((await change(SELLER, ours.tokens[role])).status, role).toBe(403)
    }
    const suspend = (suspended: boolean) =>
      server.request('PATCH', `/api/platform/organizations/${ours.id}`, {
        token: ROOT_KEY,
        body: { suspended },
      })
    await suspend(true)
    expect((await change(SELLER)).body.code).toBe('organization_suspended')
    expect((await shown()).status).toBe(200)
    await suspend(false)
    expect((await shown('unknown-shop')).body.code).toBe('organization_not_found')
  })
})
