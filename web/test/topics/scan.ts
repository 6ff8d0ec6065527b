import { writeFile } from 'node:fs/promises'
import type { Hall } from '@voelgoed/testing/hall'
import { PASSWORD } from '@voelgoed/testing/harness'
import { waitUntil } from '@voelgoed/testing/wait-until'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { slowTimers } from '../page-timers.ts'
import { soldTickets } from '../sold-tickets.ts'
import { expectAccessible, expectFits, type Stage, text } from '../stage.ts'
import { videoOf } from './camera-video.ts'

/** The scanner's page: a camera, a hardware scanner, and no network. */
export function scanTests(stage: () => Stage): void {
  const sell = (hall: Hall, ordinals: readonly number[]) => soldTickets(stage(), hall, ordinals)

  const signIn = async (page: Page) => {
    await page.getByLabel('Email address').fill(`scanner@${stage().shop.slug}.example`)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).last().click()
  }

  /** The guard has seen it. */
  const next = (page: Page, name = 'Next') => page.getByRole('button', { name, exact: true }).click()

  const verdict = async (page: Page, title: string) => {
    const screen = page.getByTestId('verdict')
    await screen.getByRole('heading', { name: title, exact: true }).waitFor()
    return screen
  }

  /** A device that was set up before, without a camera. */
  const visitGate = async (hall: Hall, options: BrowserContextOptions = {}) => {
    const { server, shop, url } = stage()
    const email = `scanner@${shop.slug}.example`
    const body = { organization: shop.slug, email, password: PASSWORD }
    const session = (await server.request('POST', '/api/sessions', { body })).body.data
    const settings = { slug: shop.slug, eventId: hall.eventId, gate: 'South' }
    const localStorage = [
      { name: `voelgoed:session:${shop.slug}`, value: JSON.stringify(session) },
      { name: 'voelgoed:scan', value: JSON.stringify(settings) },
    ]
    const storageState = { cookies: [], origins: [{ origin: url, localStorage }] }
    const ours = { storageState, serviceWorkers: 'allow', before: guardHasTime } as const
    const page = await stage().visit('/scan', { ...ours, ...options })
    return { page, token: session.token as string }
  }

  /**
   * The page's own time for a guard: a plain yes goes by itself (GOOD_STAYS_MS of GateView.svelte), and the
   * device decides when no answer comes (PATIENCE_MS of gatekeeper.svelte.ts).
   */
  const guardHasTime = slowTimers({ 2500: 'never', 2000: 'patient' })

  /** As a hardware scanner types: the keys of a code in no time, and Enter, with nothing focused. */
  const typeCode = (page: Page, code: string) =>
    page.evaluate(
      `for (const key of [...${JSON.stringify(code)}, 'Enter'])
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`,
    )

  describe('scanning', () => {
    it('the camera reads a QR code: the first time it opens the gate, the second time it says when and where', async () => {
      const { server, shop, cameraFile } = stage()
      const hall = await stage().hall({ event: { name: 'Scanned' } })
      const [ticket] = await sell(hall, [3])
      const svg = await server.request('GET', `/api/tickets/${ticket!.id}/qr.svg`, {
        token: shop.tokens.organizer,
      })
      // A second with the code, three without: then it is shown again.
      await writeFile(cameraFile, videoOf(svg.text, { framesPerSecond: 2, shown: 2, blank: 6 }))
      const page = await stage().visit('/scan', { permissions: ['camera'], before: guardHasTime })
      await page.getByLabel('Organizer').fill(shop.slug)
      await expectAccessible(page, 'scanner: sign in')
      await signIn(page)
      await page.getByLabel('Event').selectOption({ label: 'Scanned' })
      await page.getByLabel('Name of the gate').fill('North')
      await expectAccessible(page, 'scanner: the gate')
      await expectFits(page, 'scanner: the gate')
      // The page notes its verdicts: the video makes the second of the first while a test looks.
      await page.evaluate(`
        window.verdicts = []
        new MutationObserver(() => {
          const screen = document.querySelector('[data-testid=verdict]')
          const title = screen?.querySelector('h2').textContent
          if (!title || title === window.verdicts.at(-1)?.title) return
          const said = [...document.querySelectorAll('[role=alert]')].map(one => one.textContent.trim())
          window.verdicts.push({ title, words: screen.innerText, said })
        }).observe(document.body, { childList: true, subtree: true })`)
      await page.getByRole('button', { name: 'Start scanning' }).click()
      const second = await verdict(page, 'Already in')
      expect(await page.evaluate('window.verdicts')).toMatchObject([
        {
          title: 'Come in',
          words: expect.stringMatching(/Row R1, seat 4\s+Stalls/),
          said: ['Come in. Stalls. Row R1, seat 4.'],
        },
        { title: 'Already in' },
      ])
      expect(await second.innerText()).toMatch(/\d\d:\d\d, North/)
      await expectAccessible(page, 'scanner: refused')
      await expectFits(page, 'scanner: refused')
      await page.evaluate(
        `document.querySelector('video').srcObject.getVideoTracks()[0].dispatchEvent(new Event('ended'))`,
      )
      await text(page, /^The camera stopped/)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('button', { name: 'Try again' }).click()
      await text(page, 'Hold the code in the frame')
    })

    it('without a network it decides by its list, and after a reload too; what waits goes out after signing in again', async () => {
      const hall = await stage().hall()
      const { server, shop } = stage()
      const [online, offline, twice, foreign] = await sell(hall, [0, 1, 2, 3])
      const { page, token } = await visitGate(hall)
      await text(page, /^4 tickets on this device, as of \d\d:\d\d$/)
      await typeCode(page, online!.token)
      await verdict(page, 'Come in')
      await typeCode(page, 'VG1.this-is-none')
      const stays = await verdict(page, 'Not a ticket')
      // A no stays until it was seen: who comes meanwhile waits, and is not forgotten.
      await typeCode(page, online!.token)
      await stays.getByText('One more ticket was scanned. It is next.').waitFor()
      await expectFits(page, 'scanner: a no, and one in line')
      expect(await stays.getByRole('heading').innerText()).toBe('Not a ticket')
      await next(page)
      await verdict(page, 'Already in')
      await next(page)
      await text(page, 'Online')
      await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
      await waitUntil('the page is kept', () =>
        page.evaluate(`caches.match('/scan', { ignoreVary: true }).then(found => found !== undefined)`),
      )

      await page.context().setOffline(true)
      await typeCode(page, offline!.token)
      const decided = await verdict(page, 'Come in')
      expect(await decided.innerText()).toMatch(/Row R1, seat 2[\s\S]*Decided without the network/)
      await expectAccessible(page, 'scanner: offline')
      await typeCode(page, online!.token)
      await verdict(page, 'Already in')
      await next(page)
      await text(page, 'One scan waits for the network.')
      // Sold since: the person at the gate has to look, and does not let them in.
      const [unlisted] = await sell(hall, [4])
      for (let time = 0; time < 2; time += 1) {
        await typeCode(page, unlisted!.token)
        await verdict(page, 'Look first')
        if (time === 0) await expectAccessible(page, 'scanner: to look at')
        await page.getByRole('button', { name: 'Not let in' }).click()
        await text(page, 'One scan waits for the network.')
      }
      // Another gate lets the same ticket in, and this one can not know.
      const elsewhere = { token: twice!.token, device_id: 'other', gate: 'North' }
      await server.request('POST', '/api/scans', { token: shop.tokens.scanner, body: elsewhere })
      await page.reload()
      await text(page, 'No network. Scanning goes on.')
      await text(page, '2 let in here')
      expect(await page.getByText('Online', { exact: true }).count()).toBe(0)
      await typeCode(page, offline!.token)
      await verdict(page, 'Already in')
      await next(page)
      await typeCode(page, twice!.token)
      await verdict(page, 'Come in')
      await text(page, '2 scans wait for the network.')
      await next(page)
      await expectAccessible(page, 'scanner: no network')
      await expectFits(page, 'scanner: no network')
      // A finger on the arrow: without a network there is a way back.
      await page.getByRole('button', { name: 'Change the gate' }).click()
      await page.getByRole('button', { name: 'Back to scanning at South' }).click()
      await text(page, 'No network. Scanning goes on.')

      await server.request('DELETE', '/api/session', { token })
      await page.context().setOffline(false)
      await text(page, /^Your session has ended/)
      await typeCode(page, foreign!.token)
      await verdict(page, 'Come in')
      await text(page, '3 scans wait for the network.')
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await signIn(page)
      await page.getByRole('button', { name: 'One entry to look at' }).click()
      await text(page, /^Stalls · Row R1, seat 3$/)
      expect(await page.getByText(/scans? waits? for the network/).count()).toBe(0)
      await expectAccessible(page, 'scanner: entries to look at')
      // The next person does not wait until the list is closed.
      await typeCode(page, foreign!.token)
      await verdict(page, 'Already in')
      expect(await page.getByRole('dialog').count()).toBe(0)
      const attendance = await server.request('GET', `/api/admin/events/${hall.eventId}/attendance`, {
        token: shop.tokens.organizer,
      })
      expect(attendance.body.data).toMatchObject({ conflicts: 1, days: [{ entries: 5, tickets: 4 }] })
    })

    it('on a desk and in Afrikaans, with the code typed in by hand, and out again', async () => {
      const hall = await stage().hall({ prices: ['gold'] })
      const [ticket] = await sell(hall, [5])
      const { page } = await visitGate(hall, { locale: 'af-ZA', viewport: { width: 1280, height: 800 } })
      await page
        .getByRole('button', { name: 'Uitgang' })
        .or(page.getByRole('button', { name: 'Ingang' }))
        .click()
      await page.getByRole('button', { name: 'Tik ’n kode' }).click()
      await page.getByLabel('Kode van die kaartjie').fill(` ${ticket!.token} `)
      await expectAccessible(page, 'scanner: typing')
      // A verdict would be behind the form: what a scanner reads waits until the form is closed.
      await page.evaluate(`
        window.verdicts = []
        new MutationObserver(() => {
          const title = document.querySelector('[data-testid=verdict] h2')?.textContent
          if (title && title !== window.verdicts.at(-1)) window.verdicts.push(title)
        }).observe(document.body, { childList: true, subtree: true })`)
      await typeCode(page, 'VG1.this-is-none')
      expect(await page.evaluate('window.verdicts')).toEqual([])
      await page.keyboard.press('Enter')
      await verdict(page, 'Nie ’n kaartjie nie')
      await next(page, 'Volgende')
      await verdict(page, 'Nie binne nie')
      expect(await page.evaluate('window.verdicts')).toEqual(['Nie ’n kaartjie nie', 'Nie binne nie'])
      await next(page, 'Volgende')
      await expectFits(page, 'scanner on a desk')
      await expectAccessible(page, 'scanner on a desk')

      // A window that keeps nothing says so, and the server decides.
      await page.addInitScript(
        `IDBFactory.prototype.open = () => { throw new DOMException('private window', 'SecurityError') }`,
      )
      await page.reload()
      await text(page, /^Hierdie blaaier kan nie die lys van kaartjies hou nie/)
      await typeCode(page, ticket!.token)
      await verdict(page, 'Nie binne nie')
    })
  })
}
