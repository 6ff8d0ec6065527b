import { expect, it } from 'vitest'
import { Notices } from './notices.svelte.ts'

it('what was said of the connection goes when the server is heard again; the rest stays', () => {
  const notices = new Notices()
  notices.say('bad', words => words.taken.offline, { isOfConnection: true })
  notices.reconnected()
  expect(notices.shown).toBeNull()
  notices.say('bad', words => words.taken.unknown)
  notices.reconnected()
  expect(notices.shown).not.toBeNull()
})
