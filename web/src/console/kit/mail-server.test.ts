import { expect, it, vi } from 'vitest'
import { MailServer } from './mail-server.svelte.ts'
import type { StaffSession } from './staff-session.svelte.ts'

const sessionOf = (call: () => Promise<unknown>, isAllowed = true) =>
  ({ may: () => isAllowed, call }) as unknown as StaffSession

it('is asked for once, and known from then on', async () => {
  const call = vi.fn(async () => ({ data: { sends_mails: false } }))
  const server = new MailServer(sessionOf(call))
  expect(call).not.toHaveBeenCalled()
  expect(server.isThere).toBe(true)
  await expect.poll(() => server.isThere).toBe(false)
  expect(call).toHaveBeenCalledTimes(1)
})

it('is asked for again after no answer, and never by a role that may not', async () => {
  const call = vi.fn(async () => ({ data: { sends_mails: false } }))
  call.mockRejectedValueOnce(new Error('no connection'))
  const server = new MailServer(sessionOf(call))
  await expect.poll(() => server.isThere).toBe(false)
  expect(call).toHaveBeenCalledTimes(2)
  const forbidden = new MailServer(sessionOf(call, false))
  expect(forbidden.isThere).toBe(true)
  expect(call).toHaveBeenCalledTimes(2)
})
