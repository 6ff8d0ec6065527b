import { Refused } from '@voelgoed/client'
import { createContext } from 'svelte'
import { labelOf, type RefusalTable, rowOf, sentenceOf } from '../../kit/refusals/table.ts'
import type { Format } from '../../kit/words/format.ts'
import type { Language } from '../../kit/words/language.svelte.ts'
import { EventList } from '../events/event-list.svelte.ts'
import type { BulkWork } from './bulk-work.svelte.ts'
import type { Consequence } from './consequences.ts'
import { consoleRefusals } from './console-refusals.ts'
import { copyText } from './copy-text.ts'
import { mail } from './icons.ts'
import { MailServer } from './mail-server.svelte.ts'
import { ConsoleLinks } from './place.ts'
import type { StaffSession } from './staff-session.svelte.ts'
import { CONSOLE_WORDS, type ConsoleWords } from './words/words.ts'

/** The console tells what was just done. */
export interface Notice {
  readonly text: string
  readonly isBad: boolean
  /** It failed in this way: the notice has the way on. */
  readonly error: unknown
}

const NOTICE_MS = 6_000

/** All screens of the console share these: who works here, in which language, and the list of events. */
export class Desk {
  readonly session: StaffSession
  readonly language: Language
  readonly links: ConsoleLinks
  readonly events: EventList
  readonly mailServer: MailServer
  #notice: Notice | null = $state.raw(null)
  /** Long work that goes on while its member of staff moves about. One at a time. */
  #work: BulkWork | null = $state.raw(null)
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #words: ConsoleWords = $derived.by(() => CONSOLE_WORDS[this.language.code](this.language.format))

  readonly #refusals: RefusalTable = $derived.by(() => consoleRefusals(this.#words))

  constructor(session: StaffSession, language: Language) {
    this.session = session
    this.language = language
    this.links = new ConsoleLinks(session.slug)
    this.events = new EventList(session)
    this.mailServer = new MailServer(session)
  }

  get words(): ConsoleWords {
    return this.#words
  }

  get format(): Format {
    return this.language.format
  }

  get notice(): Notice | null {
    return this.#notice
  }

  get work(): BulkWork | null {
    return this.#work
  }

  begin(work: BulkWork): void {
    this.#work = work
  }

  endWork(): void {
    this.#work = null
  }

  tell(text: string, isBad = false, error: unknown = null): void {
    clearTimeout(this.#timer)
    this.#notice = { text, isBad, error }
    this.#timer = setTimeout(() => {
      this.#notice = null
    }, NOTICE_MS)
  }

  /** Puts a text on the clipboard, and says whether the browser let it. */
  async copy(text: string): Promise<void> {
    const isCopied = await copyText(text)
    this.tell(isCopied ? this.#words.copied : this.#words.notCopied, !isCopied)
  }

  get refusals(): RefusalTable {
    return this.#refusals
  }

  /** The page has to be loaded again before the work can go on: the word for it. Null: it need not. */
  reloadAfter(error: unknown): string | null {
    const way = error instanceof Refused ? rowOf(this.refusals, error)[1] : null
    return way === 'reload' ? labelOf(way, this.language.words) : null
  }

  /** Says what a failure means to the person in front of the screen. */
  explain(error: unknown): string {
    return sentenceOf(this.refusals, error, this.language.words)
  }

  /** That a buyer gets a mail; where no mail server is configured, that it is kept. */
  mailTo(title: string, note: string): Consequence {
    const { title: none, note: kept } = this.#words.noMailServer
    return this.mailServer.isThere
      ? { icon: mail, title, note, size: '' }
      : { icon: mail, title: none, note: kept, size: '' }
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}

export const [getDesk, setDesk] = createContext<Desk>()
