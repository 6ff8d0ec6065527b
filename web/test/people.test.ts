import { readFile } from 'node:fs/promises'
import type { Role } from '@voelgoed/core/access'
import { codeOf } from '@voelgoed/testing/app-code'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { decodeSvg } from '@voelgoed/testing/read-qr'
import { waitUntil } from '@voelgoed/testing/wait-until'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, PICTURE, type Stage, setStage, text } from './stage.ts'

/** People, one's own account, settings and the system in the console, as each role sees them. */
let stage: Stage

beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

const DESK = { viewport: { width: 1280, height: 800 } }
/** The stage has no mail server: what the console says instead of “on its way”. */
const NO_MAIL = 'No mail server is configured, so no email is sent.'
const emailOf = (role: Role) => `${role}@${stage.shop.slug}.example`

/** A member of staff who has signed in before. */
async function visitAs(role: Role, path: string, options: BrowserContextOptions = DESK): Promise<Page> {
  const { server, shop, url } = stage
  const body = { organization: shop.slug, email: emailOf(role), password: PASSWORD }
  const session = (await server.request('POST', '/api/sessions', { body })).body.data
  const kept = { name: `voelgoed:console:${shop.slug}`, value: JSON.stringify(session) }
  const storageState = { cookies: [], origins: [{ origin: url, localStorage: [kept] }] }
  return stage.visit(`/${shop.slug}/console${path}`, { storageState, ...options })
}

const ask = (role: Role, method: string, path: string, body?: object) =>
  stage.server.request(method, path, { token: stage.shop.tokens[role], ...(body && { body }) })

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

async function signUp(email: string): Promise<void> {
  const body = { organization: stage.shop.slug, email, password: PASSWORD }
  expect((await stage.server.request('POST', '/api/accounts', { body })).status).toBe(201)
}

describe('people', () => {
  it('an organizer invites a person, up to their own role, and finds them', async () => {
    const page = await visitAs('organizer', '/people')
    await heading(page, 'People')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    const roles = await dialog.getByLabel('Role').locator('option').allTextContents()
    expect(roles).toEqual(['Organizer', 'Support', 'Scanner', 'Customer'])
    await expectAccessible(page, 'invite')
    await dialog.getByLabel('Email address').fill('carla@people.example')
    await dialog.getByRole('button', { name: 'Send the invitation' }).click()
    // It goes by itself after a while.
    await text(page, NO_MAIL)
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Email address').fill('carla')
    const row = page.getByRole('row', { name: /carla@people\.example/ })
    await row.getByText('Invited', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByLabel('Email address').fill('carla@people.example')
    await dialog.getByRole('button', { name: 'Send the invitation' }).click()
    await dialog.getByRole('alert').getByText('Its role: Support.').waitFor()
  })

  it('a buyer becomes staff as the reader of their address, also when they are invited', async () => {
    const email = 'hire@people.example'
    await signUp(email)
    const page = await visitAs('organizer', '/people')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('Email address').fill(` ${email.toUpperCase()}`)
    await dialog.getByRole('button', { name: 'Send the invitation' }).click()
    await dialog.getByRole('alert').getByText('There is a buyer’s account with this address.').waitFor()
    await expectAccessible(page, 'invite a buyer')
    await dialog.getByRole('link', { name: `Open ${email}` }).click()
    await dialog.waitFor({ state: 'detached' })
    const sheet = page.getByRole('dialog', { name: email })
    await sheet.getByLabel('Role').selectOption('Organizer')
    await sheet.getByRole('button', { name: 'Save' }).click()
    const sure = page.getByRole('alertdialog', { name: `Make ${email} part of the staff?` })
    await sure.getByText('Anyone can sign up with any address.').waitFor()
    await expectAccessible(page, 'a buyer becomes staff')
    await sure.getByRole('button', { name: 'Make them staff' }).click()
    await text(page, NO_MAIL)
    await sheet.getByText('Not signed in anywhere.').waitFor()
    const [found] = (await ask('organizer', 'GET', `/api/admin/users?query=${email}`)).body.data
    expect(found).toMatchObject({ role: 'organizer', invited: true })
  })

  it('changes role and membership, disables and enables, ends sessions', async () => {
    await signUp('dawid@people.example')
    const page = await visitAs('organizer', '/people')
    await page.getByLabel('Email address').fill('dawid@')
    await page.getByRole('link', { name: 'dawid@people.example' }).click()
    const sheet = page.getByRole('dialog', { name: 'dawid@people.example' })
    await sheet.getByRole('button', { name: /^End the session of/ }).waitFor()
    await sheet.getByLabel('Membership tier').fill('gold')
    // The person is read again after the change: what is chosen before that is there stays chosen.
    let answer = () => {}
    const isChosen = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route(/users\?query=[0-9a-f-]{36}/, async route => {
      await isChosen
      await route.continue()
    })
    const readAgain = page.waitForResponse(/users\?query=[0-9a-f-]{36}/)
    await sheet.getByRole('button', { name: 'Save' }).click()
    await text(page, 'Saved. It counts from the next request on.')
    await sheet.getByLabel('Role').selectOption('Support')
    answer()
    await readAgain
    await page.unroute(/users\?query=[0-9a-f-]{36}/)
    await sheet.getByRole('button', { name: 'Sign out everywhere' }).click()
    await sheet.getByText('Not signed in anywhere.').waitFor()
    await sheet.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make them staff' }).click()
    await page.getByRole('row', { name: /dawid@people\.example Support gold Invited/ }).waitFor()
    await expectAccessible(page, 'a person')
    await sheet.getByRole('button', { name: 'Disable…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
    await sheet.getByText('Disabled', { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Enable' }).click()
    await sheet.locator('.badge', { hasText: 'Invited' }).waitFor()
    expect(await sheet.getByRole('button', { name: 'Export as a file' }).count()).toBe(0)

    const admin = await visitAs('admin', '/people')
    await admin.getByLabel('Email address').fill('dawid@')
    await admin.getByRole('link', { name: 'dawid@people.example' }).click()
    const person = admin.getByRole('dialog', { name: 'dawid@people.example' })
    const [file] = await Promise.all([
      admin.waitForEvent('download'),
      person.getByRole('button', { name: 'Export as a file' }).click(),
    ])
    const data = JSON.parse(await readFile(await file.path(), 'utf8'))
    expect(data.account).toMatchObject({ email: 'dawid@people.example', role: 'support' })
    await person.getByRole('button', { name: 'Erase this person…' }).click()
    const asked = admin.getByRole('alertdialog')
    const erase = asked.getByRole('button', { name: 'Erase this person' })
    expect(await erase.isDisabled()).toBe(true)
    await asked.getByLabel('Type dawid@people.example to confirm').fill('dawid@people.example')
    await expectAccessible(admin, 'erasing a person')
    await erase.click()
    await text(admin, 'The person is erased. 0 orders stay without their name.')
    await admin.getByRole('link', { name: 'dawid@people.example' }).waitFor({ state: 'detached' })
  })

  it('what a role may not do is not shown, and refused', async () => {
    const page = await visitAs('support', '/people')
    await page.getByRole('link', { name: emailOf('customer') }).click()
    await text(page, 'Your role can look people up. Organizers and admins change them.')
    for (const name of ['Invite', 'Import members', 'Save', 'Disable…', 'Sign out everywhere']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
    }
    expect(
      (await ask('support', 'POST', '/api/admin/invitations', { email: 'x@people.example', role: 'support' }))
        .status,
    ).toBe(403)
    const organizer = await visitAs('organizer', '/people')
    await organizer.getByRole('link', { name: emailOf('admin') }).click()
    await text(organizer, 'Only an admin can change an admin.')
  })

  it("a members' list says what it will do before it does it", async () => {
    await signUp('elsa@people.example')
    const page = await visitAs('organizer', '/people')
    await page.getByRole('button', { name: 'Import members' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import members' })
    await dialog
      .getByLabel('Or paste its lines')
      .fill(
        'email,tier,status\nelsa@people.example,silver,\nstranger@people.example,silver,\nnot an address,silver,',
      )
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('No account has this address').first().waitFor()
    await dialog.getByText('This is no email address').first().waitFor()
    await dialog.getByText('Waits until the person confirms the address').first().waitFor()
    await expectAccessible(page, "members' list")
    const before = await ask('organizer', 'GET', '/api/admin/users?query=elsa@people.example')
    expect(before.body.data[0].membership_tier).toBe(null)
    await dialog.getByRole('button', { name: 'Change 1 membership' }).click()
    const work = page.getByRole('dialog', { name: 'Import of members' })
    // The first only hides the work while it runs; the second one comes with its end.
    await work.getByRole('button', { name: 'Close' }).nth(1).click()
    const after = await ask('organizer', 'GET', '/api/admin/users?query=elsa@people.example')
    expect(after.body.data[0].membership_tier).toBe('silver')
    // At a desk, staff know who the person is.
    await page.getByLabel('Email address').fill('elsa@')
    await page
      .getByRole('row', { name: /elsa@people/ })
      .getByText('Address not confirmed')
      .waitFor()
    await page.getByRole('link', { name: 'elsa@people.example' }).click()
    const sheet = page.getByRole('dialog', { name: 'elsa@people.example' })
    await sheet.getByRole('button', { name: 'It is theirs' }).click()
    await expectAccessible(page, 'an address that is not confirmed')
    await page.getByRole('alertdialog').getByRole('button', { name: 'It is theirs' }).click()
    await text(page, 'Saved. It counts from the next request on.')
    await sheet.getByText('Address not confirmed').waitFor({ state: 'detached' })
  })
})

describe('the account, settings and the system', () => {
  it('lists one’s sessions and ends another', async () => {
    const body = { organization: stage.shop.slug, email: emailOf('support'), password: PASSWORD }
    const headers = {
      'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
    }
    const other = await stage.server.request('POST', '/api/sessions', { body, headers })
    const page = await visitAs('support', '/account')
    await text(page, 'This browser')
    await expectAccessible(page, 'account')
    await page.getByRole('button', { name: 'End the session of Safari on iOS' }).click()
    await text(page, 'The session has ended.')
    const gone = await stage.server.request('GET', '/api/session', { token: other.body.data.token })
    expect(gone.status).toBe(401)
  })

  it('a second factor is set up with its QR code, asked for at sign-in, and reset by an admin', async () => {
    const email = 'gerda@people.example'
    const body = { email, password: PASSWORD, role: 'support' }
    const made = await stage.server.request('POST', `/api/platform/organizations/${stage.shop.id}/users`, {
      token: ROOT_KEY,
      body,
    })
    const signIn = async (page: Page) => {
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    const page = await stage.visit(`/${stage.shop.slug}/console/account`, DESK)
    await signIn(page)
    await page.getByRole('button', { name: 'Set it up' }).click()
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    const image = await page
      .getByRole('img', { name: 'QR code for the authenticator app' })
      .getAttribute('src')
    const uri = decodeSvg(Buffer.from(image!.split(',')[1]!, 'base64').toString())!
    await expectAccessible(page, 'second factor')
    await page.getByLabel('Code from the app').fill(codeOf(uri, 0))
    await page.getByRole('button', { name: 'Turn it on' }).click()
    await text(page, 'The second factor is on.')
    expect(await page.locator('.codes li').count()).toBe(10)
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await text(page, '10 recovery codes left.')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page)
    await text(page, 'Your password is right. Now the second factor.')
    await expectAccessible(page, 'sign-in with a code')
    // Each code is taken once: the next one, which is good a step before its time.
    await page.getByLabel('Code from your app, or a recovery code').fill(codeOf(uri, 1))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()

    const admin = await visitAs('admin', `/people/${made.body.data.id}`)
    await admin.getByRole('button', { name: 'Reset second factor…' }).click()
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Reset second factor' }).click()
    await text(admin, 'The second factor was reset.')
    const again = await stage.server.request('POST', '/api/sessions', {
      body: { organization: stage.shop.slug, email, password: PASSWORD },
    })
    expect(again.status).toBe(201)
  })

  it('settings are changed by organizers, and looked at by support', async () => {
    const support = await visitAs('support', '/settings')
    await text(support, 'Your role can look at the settings. Organizers and admins change them.')
    expect(await support.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    expect(await support.getByRole('button', { name: 'Save' }).count()).toBe(0)
    const page = await visitAs('organizer', '/settings')
    await page.getByLabel('Support address').fill('help@people.example')
    await page.getByLabel('Sites that may show seats').fill('https://shop.people.example/path')
    await page.getByRole('button', { name: 'Save' }).click()
    await text(page, /is not the address of a site/)
    await page.getByLabel('Sites that may show seats').fill('https://shop.people.example/')
    await page.getByRole('button', { name: 'Save' }).click()
    await text(page, 'Saved.')
    await expectAccessible(page, 'settings')
    const { data } = (await ask('organizer', 'GET', '/api/admin/organization')).body
    expect(data).toMatchObject({
      support_email: 'help@people.example',
      allowed_origins: ['https://shop.people.example'],
    })
  })

  it('an admin makes a key, which is shown once and works until it is ended; an organizer sees none', async () => {
    const organizer = await visitAs('organizer', '/settings')
    await organizer.getByRole('heading', { name: 'Ticket keys' }).waitFor()
    await text(organizer, /Only an admin can rotate keys/)
    for (const name of ['API keys', 'Payments']) {
      expect(await organizer.getByRole('heading', { name }).count(), name).toBe(0)
    }
    expect(await organizer.getByRole('button', { name: 'Rotate…' }).count()).toBe(0)

    const permissions = ['clipboard-read', 'clipboard-write']
    const page = await visitAs('admin', '/settings', { viewport: { width: 320, height: 640 }, permissions })
    await text(page, /^A key lets a program work for your organization/)
    const sent: (string | undefined)[] = []
    await page.route('**/api/admin/api-keys', route => {
      sent.push(route.request().headers()['idempotency-key'])
      const problem = { code: 'too_many_api_keys', title: 'Enough', status: 422, detail: '', limit: 100 }
      return sent.length === 1 ? route.fulfill({ status: 422, json: problem }) : route.continue()
    })
    const opens = page.getByRole('button', { name: 'Make a key…' })
    await opens.click()
    const dialog = page.getByRole('dialog', { name: 'Make an API key' })
    await dialog.getByLabel('Name of the program').fill('Web shop')
    await dialog.getByLabel('Role').selectOption('Support')
    await dialog.getByText(/^Reads events and orders/).waitFor()
    await expectFits(page, 'make a key')
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    await dialog.getByRole('alert').getByText('End one that no program uses any more').waitFor()
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    const made = page.getByRole('dialog', { name: 'The key of “Web shop”' })
    await made.getByText('it cannot be shown again').waitFor()
    expect(sent[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(sent[1]).toBe(sent[0])
    const field = made.getByLabel('Key', { exact: true })
    const token = await field.inputValue()
    expect(await page.locator(':focus').and(field).count()).toBe(1)
    await expectAccessible(page, 'a new key')
    await expectFits(page, 'a new key')
    await made.getByRole('button', { name: 'Copy' }).click()
    await made.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    await made.getByRole('button', { name: 'I have kept it' }).click()
    await made.waitFor({ state: 'detached' })
    expect(await page.locator(':focus').and(opens).count()).toBe(1)
    const left = `document.documentElement.outerHTML +
      [...document.querySelectorAll('input')].map(({ value }) => value)`
    expect(await page.evaluate(left)).not.toContain(token.slice(-20))

    await text(page, 'Not used yet')
    await expectFits(page, 'settings with a key')
    const session = () => stage.server.request('GET', '/api/session', { token })
    expect((await session()).body.data.user.role).toBe('support')
    await page.getByRole('button', { name: 'End key Web shop' }).click()
    const sure = page.getByRole('alertdialog', { name: 'End the key of “Web shop”?' })
    await sure.getByText(/^Programs that use it stop working at once/).waitFor()
    await sure.getByRole('button', { name: 'End the key' }).click()
    await text(page, 'The key of “Web shop” has ended.')
    await page.getByRole('button', { name: 'End key Web shop' }).waitFor({ state: 'detached' })
    expect((await session()).status).toBe(401)
  })

  it('an admin rotates the ticket keys, and says whose account at Stripe takes the money', async () => {
    const first = (await ask('admin', 'POST', '/api/admin/ticket-keys/rotate')).body.data.key_id as string
    await ask('admin', 'POST', '/api/admin/api-keys', { name: 'Door', role: 'scanner' })
    const page = await visitAs('admin', '/settings')
    const rowOf = (id: string) => page.getByRole('row').filter({ hasText: `…${id.slice(-8)}` })
    await rowOf(first).getByText('Signs now').waitFor()
    await page.getByRole('button', { name: 'Rotate…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Sign tickets with a new key?' })
    await dialog.getByText('Tickets that people have stay good').waitFor()
    await dialog.getByRole('button', { name: 'Rotate the key' }).click()
    await rowOf(first).getByText('Open gates until the key is retired').waitFor()
    const [second] = (await ask('organizer', 'GET', '/api/admin/ticket-keys')).body.data
    await rowOf(second.key_id).getByText('Signs now').waitFor()
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await dialog.getByLabel('Older tickets must stop working').check()
    await dialog.getByText(/they let the older tickets in/).waitFor()
    await expectAccessible(page, 'rotate')
    await dialog.getByRole('button', { name: 'Rotate and stop older tickets' }).click()
    await page.getByRole('button', { name: 'Show 2 retired keys' }).click()
    await rowOf(first)
      .getByText(/^Open no gate since/)
      .waitFor()
    const states = (await ask('admin', 'GET', '/api/admin/ticket-keys')).body.data
    expect(states.map(({ status }: { status: string }) => status)).toEqual(['signing', 'retired', 'retired'])

    const takes = async () => (await ask('admin', 'GET', '/api/admin/organization')).body.data.stripe_account
    await text(page, 'The platform’s own account takes the money.')
    await text(page, /^Payments are simulated on this server/)
    const account = page.getByLabel('Your account at Stripe')
    await account.fill('acct-12')
    await page.getByRole('button', { name: 'Change the account…' }).click()
    await text(page, /^This is no account of Stripe/)
    expect([await page.getByRole('alertdialog').count(), await takes()]).toEqual([0, null])
    await page.getByRole('button', { name: 'End key Door' }).waitFor()
    await expectAccessible(page, 'settings of an admin')
    await account.fill(' acct_1032D82eZvKYlo2C ')
    await page.getByRole('button', { name: 'Change the account…' }).click()
    const sure = page.getByRole('alertdialog', { name: 'Let acct_1032D82eZvKYlo2C take the money?' })
    await sure.getByText(/^It waits until the people who run this installation/).waitFor()
    expect(await takes()).toBe(null)
    await sure.getByRole('button', { name: 'Change the account' }).click()
    await text(page, /^acct_1032D82eZvKYlo2C waits for the people who run this installation/)
    await text(page, 'The platform’s own account takes the money.')
    expect(await takes()).toBe(null)
    await expectAccessible(page, 'an account that waits')
  })

  it('the brand: a colour with its contrast, a logo and a cover, which buyers see', async () => {
    const support = await visitAs('support', '/settings')
    await support.getByRole('heading', { name: 'Brand' }).waitFor()
    expect(await support.getByRole('button', { name: /^(Choose|Use)/ }).count()).toBe(0)
    expect(await support.getByLabel('Colour').count()).toBe(0)
    const refused = await ask('support', 'DELETE', '/api/admin/organization/logo')
    expect(refused.status).toBe(403)

    const page = await visitAs('organizer', '/settings')
    await page.getByLabel('Support address').fill('not@saved.example')
    const colour = page.getByLabel('Colour', { exact: true })
    await colour.fill('#12345')
    await text(page, /^Write a # and six digits/)
    const use = page.getByRole('button', { name: 'Use this colour' })
    expect(await use.isDisabled()).toBe(true)
    // No buyer could read it on white: pages make it darker there, and the preview says so.
    await colour.fill('#ffe600')
    await text(page, /^Your colour is made a little lighter or darker/)
    await colour.fill('#7b3fa0')
    await use.click()
    await text(page, 'Buyers see the new colour from the next page they open.')
    for (const which of ['Logo', 'Cover of the storefront']) {
      const file = page.getByLabel(`File: ${which}`, { exact: true })
      await file.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
      await text(page, /^Browsers cannot show this file/)
      await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no image') })
      await text(page, /^We can’t read this picture/)
      await file.setInputFiles(PICTURE)
      await page.getByRole('button', { name: `Remove: ${which}` }).waitFor()
    }
    await expectAccessible(page, 'brand')
    // A text that was typed and not saved is still there.
    expect(await page.getByLabel('Support address').inputValue()).toBe('not@saved.example')
    const { data } = (await ask('organizer', 'GET', '/api/admin/organization')).body
    expect(data).toMatchObject({ colour: '#7b3fa0', cover: { width: 192 } })

    const buyer = await stage.visit(`/${stage.shop.slug}`)
    await buyer.locator(`header img[src="${data.logo.plain.url}"]`).waitFor()
    const accent = `getComputedStyle(document.documentElement).getPropertyValue('--accent-light').trim()`
    expect(await buyer.evaluate(accent)).toBe('#7b3fa0')
    await page.getByRole('button', { name: 'Remove: Logo' }).click()
    await text(page, 'No logo: pages show the name')
    await page.getByRole('button', { name: 'Use ours' }).click()
    await use.click()
    await expect
      .poll(async () => (await ask('organizer', 'GET', '/api/admin/organization')).body.data)
      .toMatchObject({ colour: null, logo: null })
  })

  it('shows the machinery, compares copies, and sends a mail again that was not delivered', async () => {
    const hall = await stage.hall({ event: { name: 'Copies' } })
    const invited = await ask('admin', 'POST', '/api/admin/invitations', {
      email: 'f@people.example',
      role: 'support',
    })
    expect(invited.status).toBe(201)
    await stage.server.node.mailSender.look()
    // This look passes over what another one, that began before, is about to keep.
    await waitUntil('the mail is kept', async () => {
      const [mail] = await stage.server.database.sql(
        `select 1 from mails where recipient = 'f@people.example' and status = 'kept'`,
      )
      return mail !== undefined
    })
    const page = await visitAs('admin', '/system')
    await heading(page, 'System')
    const row = page.getByRole('row', { name: /^Copies/ })
    await row.getByText('All copies agree').waitFor()
    await row.getByRole('button', { name: 'Load again from Postgres' }).click()
    await text(page, /Copies: Loaded again\./)
    await page.getByLabel('Show').selectOption('Kept: no mail server')
    const mail = page.getByRole('row', { name: /f@people\.example/ })
    await mail.getByRole('button', { name: 'Send again' }).click()
    await text(page, 'It is queued once more.')
    await expectAccessible(page, 'system')
    expect(hall.eventId).toBeTruthy()
  })

  it('each screen fits a telephone and is free of findings, in both languages', async () => {
    for (const [path, en, af] of [
      ['/people', 'People', 'Mense'],
      ['/account', 'Your account', 'Jou rekening'],
      ['/settings', 'Settings', 'Instellings'],
      ['/system', 'System', 'Stelsel'],
    ] as const) {
      for (const [locale, name] of [
        ['en-ZA', en],
        ['af-ZA', af],
      ] as const) {
        const page = await visitAs('admin', path, { locale })
        await heading(page, name)
        await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
        await expectFits(page, `${path}, ${locale}`)
        if (locale === 'en-ZA') await expectAccessible(page, `${path} on a telephone`)
        await page.context().close()
      }
    }
  })
})
