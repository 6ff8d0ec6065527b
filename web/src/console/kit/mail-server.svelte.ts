import type { StaffSession } from './staff-session.svelte.ts'

/** Knows if mails leave this installation. It asks when a screen first speaks of mail. */
export class MailServer {
  readonly #session: Pick<StaffSession, 'may' | 'call'>
  #isThere = $state(true)
  #isAsked = false

  constructor(session: Pick<StaffSession, 'may' | 'call'>) {
    this.#session = session
  }

  /** False: none is configured, so mails are kept. True until the server has said so. */
  get isThere(): boolean {
    this.#ask()
    return this.#isThere
  }

  #ask(): void {
    if (this.#isAsked || !this.#session.may('GET /api/admin/organization')) return
    this.#isAsked = true
    this.#session.call('GET /api/admin/organization').then(
      ({ data }) => {
        this.#isThere = data.sends_mails
      },
      () => {
        this.#isAsked = false
      },
    )
  }
}
