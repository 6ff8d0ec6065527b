import type { Page } from 'playwright-core'
import { type Camera, dark, desk, phone } from './camera.ts'
import type { Demo, Place } from './demo.ts'

/** The scanner's page with each verdict. It is dark by day and by night: one of each. */
export async function takeGate(camera: Camera, demo: Demo, theatre: Place): Promise<void> {
  const [first, second] = await demo.sellAtCounter(theatre)
  const atGate = async (page: Page) => {
    await page.goto(`${demo.baseUrl}/scan`)
    await page.getByLabel('Organizer').fill('voelgoed')
    await page.getByLabel('Email address').fill('scanner@voelgoed.example')
    await page.getByLabel('Password').fill('voelgoed-demo')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Event').selectOption(theatre.id)
    await page.getByLabel('Name of the gate').fill('Gate B')
  }
  const scanning = async (page: Page, ...codes: string[]) => {
    await atGate(page)
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await page.getByText(/tickets on this device/).waitFor()
    for (const code of codes) await scanCode(page, code)
  }
  const withoutNetwork = async (page: Page) => {
    await scanning(page)
    await page.context().setOffline(true)
    await scanCode(page, second!)
  }
  await camera.take('scan-setup-phone', phone, atGate)
  await camera.take('scan-ready-phone', phone, page => scanning(page))
  await camera.take('scan-ready-desk-dark', { ...desk, ...dark }, page => scanning(page))
  await camera.take('scan-admitted-phone', phone, page => scanning(page, first!))
  await camera.take('scan-refused-phone', phone, page => scanning(page, first!))
  await camera.take('scan-offline-phone', phone, withoutNetwork)
  await camera.take('scan-waiting-phone', phone, async page => {
    await withoutNetwork(page)
    await page.getByRole('button', { name: 'Next' }).click()
  })
}

async function scanCode(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Type a code' }).click()
  await page.getByLabel('Code of the ticket').fill(code)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByTestId('verdict').waitFor()
}
