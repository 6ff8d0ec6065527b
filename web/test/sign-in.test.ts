import { codeOf } from '@voelgoed/testing/app-code'
import { PASSWORD } from '@voelgoed/testing/harness'
import { decodeSvg } from '@voelgoed/testing/read-qr'
import { CLIENT, startTestProvider, type TestProvider } from '@voelgoed/testing/test-provider'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectAccessible, expectFits, type Stage, setStage, text } from './stage.ts'

/** Staff sign in: with the organization's identity provider, and with passkeys. */
let stage: Stage
let provider: TestProvider

/** A question to a provider has five seconds, and a busy machine may need more. */
const endIn = AbortSignal.timeout.bind(AbortSignal)

beforeAll(async () => {
  stage = await setStage()
  provider = await startTestProvider([`${stage.url}/${stage.shop.slug}/console/signed-in`])
})
beforeEach(() => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => endIn(WITHIN_MS))
})
afterEach(() => stage.closePages())
afterAll(async () => {
  vi.restoreAllMocks()
  await provider.close()
  await stage.close()
})

const DESK = { viewport: { width: 1280, height: 800 } }
const consoleOf = (path = '') => `/${stage.shop.slug}/console${path}`

async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

describe('the identity provider', () => {
  it('is set up and tested by an admin; then staff come in with it, to where they were going', async () => {
    const admin = await stage.visit(consoleOf('/settings'), DESK)
    await signInAs(admin, `admin@${stage.shop.slug}.example`)
    await admin.getByRole('button', { name: 'Set it up' }).click()
    expect(await admin.getByLabel('Redirect address').inputValue()).toBe(
      `${stage.url}/${stage.shop.slug}/console/signed-in`,
    )
    await admin.getByLabel('Issuer').fill(`${provider.issuer}/nothing`)
    await admin.getByRole('button', { name: 'Test it' }).click()
    await text(admin, 'At this address there is no description of a provider. Check the issuer.')
    await admin.getByLabel('Issuer').fill(provider.issuer)
    await admin.getByRole('button', { name: 'Test it' }).click()
    await text(admin, /^The provider answers, with 1 key\./)
    await admin.getByLabel('Name on the button').fill('Karoo Login')
    await admin.getByLabel('Client id').fill(CLIENT.id)
    await admin.getByLabel('Client secret').fill(CLIENT.secret)
    await admin.getByLabel('Email domains of your staff').fill('staff.example')
    await admin.getByLabel('People without an account').selectOption('Become support')
    await admin.getByRole('button', { name: 'Save the provider' }).click()
    await text(admin, 'Saved. The button is on the sign-in page.')
    await expectAccessible(admin, 'identity provider')
    await admin.setViewportSize({ width: 390, height: 844 })
    await expectFits(admin, 'identity provider on a telephone')

    provider.person = { sub: 'hanna', email: 'hanna@staff.example', email_verified: true }
    const page = await stage.visit(consoleOf('/orders'), DESK)
    const button = page.getByRole('button', { name: 'Sign in with Karoo Login' })
    await button.waitFor()
    await expectAccessible(page, 'sign-in with a provider')
    await button.click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(consoleOf('/orders'))
    expect(new URL(page.url()).search).toBe('')
    // Support does not see the settings of the provider.
    await page.goto(stage.url + consoleOf('/settings'))
    await text(page, 'Your role can look at the settings. Organizers and admins change them.')
    expect(await page.getByText('Identity provider').count()).toBe(0)

    // The address has passed to another person: an admin unlinks the account, and its session ends.
    await admin.setViewportSize(DESK.viewport)
    await admin.goto(stage.url + consoleOf('/people'))
    await admin.getByRole('link', { name: 'hanna@staff.example' }).click()
    await admin.getByRole('button', { name: 'Unlink from the provider…' }).click()
    await expectAccessible(admin, 'unlinking')
    await admin.getByRole('button', { name: 'Unlink from the provider', exact: true }).click()
    await text(admin, 'Unlinked, and signed out.')
    await admin.getByRole('button', { name: 'Unlink from the provider…' }).waitFor({ state: 'detached' })
    await page.reload()
    await button.waitFor()

    provider.person = { sub: 'ida', email: 'ida@staff.example', email_verified: false }
    const stranger = await stage.visit(consoleOf(), DESK)
    await stranger.getByRole('button', { name: 'Sign in with Karoo Login' }).click()
    await text(stranger, 'Your provider does not say that your email address is verified. Tell an admin.')
    expect(new URL(stranger.url()).search).toBe('')
    await signInAs(stranger, `support@${stage.shop.slug}.example`)
    await stranger.getByRole('button', { name: 'Sign out' }).waitFor()
  })

  it('lets a person who has no password set up the second factor that is asked for', async () => {
    provider.person = { sub: 'jana', email: 'jana@staff.example', email_verified: true }
    const require = (isRequired: boolean) =>
      stage.server.database.sql('update organizations set staff_second_factor = $1 where id = $2', [
        isRequired,
        stage.shop.id,
      ])
    await require(true)
    const page = await stage.visit(consoleOf('/orders'), DESK)
    const button = page.getByRole('button', { name: 'Sign in with Karoo Login' })
    await button.click()
    await page.getByRole('heading', { level: 1, name: 'Set up the second factor' }).waitFor()
    await stage.server.database.sql(`update sessions set created_at = now() - interval '11 minutes'
      where user_id = (select id from users where email = 'jana@staff.example')`)
    const setUp = page.getByRole('button', { name: 'Set it up' })
    await setUp.click()
    // The sign-in is too old to prove anything: with the password, or once more with the provider.
    await page.getByLabel('Your password').waitFor()
    await expectAccessible(page, 'second factor of a person who may have no password')
    await button.click()
    await setUp.click()
    const image = page.getByRole('img', { name: 'QR code for the authenticator app' })
    const svg = Buffer.from((await image.getAttribute('src'))!.split(',')[1]!, 'base64').toString()
    // The code of the next step is good for more than a minute.
    await page.getByLabel('Code from the app').fill(codeOf(decodeSvg(svg)!, 1))
    await page.getByRole('button', { name: 'Turn it on' }).click()
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await require(false)
  })

  it('says so when it sent its visitor back without a code, or to a browser that began nothing', async () => {
    const denied = await stage.visit(consoleOf('/signed-in?error=access_denied&state=x'))
    await text(denied, 'The provider did not sign you in. Try again, or ask an admin.')
    await expectAccessible(denied, 'sign-in that was denied')
    const organization = { organization: stage.shop.slug }
    const ways = await stage.server.request('GET', `/api/sessions/ways?organization=${stage.shop.slug}`)
    expect(ways.body.data.provider).not.toBe(null)
    const begun = await stage.server.request('POST', '/api/sessions/provider', { body: organization })
    const state = new URL(begun.body.data.authorization_url).searchParams.get('state')
    const stolen = await stage.visit(consoleOf(`/signed-in?code=x&state=${state}`))
    await text(stolen, /^This sign-in is too old, was used before, or began in another browser\./)
  })
})
