import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type RefusalCode, Refused } from '@voelgoed/client'
import { problemKinds } from '@voelgoed/contract/problems'
import { refusalsOf } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { describe, expect, it } from 'vitest'
import { checkoutRefusals, orderRefusals, payRefusals } from '../../buyer/checkout/checkout-refusals.ts'
import { eventRefusals } from '../../buyer/event/event-refusals.ts'
import { storefrontRefusals } from '../../buyer/pages/storefront-refusals.ts'
import { consoleRefusals } from '../../console/kit/console-refusals.ts'
import { CONSOLE_WORDS } from '../../console/kit/words/words.ts'
import { SIGN_IN_WORDS } from '../../console/people/sign-in.ts'
import { signInRefusals } from '../../console/people/sign-in-refusals.ts'
import { gateRefusals, gateSignInRefusals } from '../../gate/gate-refusals.ts'
import { SCAN_WORDS } from '../../gate/words.ts'
import { af } from '../words/af.ts'
import { en } from '../words/en.ts'
import { createFormat } from '../words/format.ts'
import { accountRefusals, passwordRefusals } from './account-refusals.ts'
import { ACTIONS, COMMON, labelOf, type RefusalTable, sentenceOf } from './table.ts'

const SRC = new URL('../../', import.meta.url).pathname
const SESSION = 'kit/state/session.svelte.ts'
const ACCOUNT = [SESSION, 'kit/parts/AccountDialog.svelte', 'kit/parts/ConfirmAddressForm.svelte']
/** They name calls of the whole console. */
const STAFF = ['console/kit/staff-session.svelte.ts', 'console/kit/access.ts']
const SIGN_IN = ['console/people/SignIn.svelte', 'console/people/ComingBack.svelte']

const LANGUAGES = [
  { code: 'en', words: en(createFormat('en-ZA')), format: createFormat('en-ZA') },
  { code: 'af', words: af(createFormat('af-ZA')), format: createFormat('af-ZA') },
] as const
type Language = (typeof LANGUAGES)[number]

interface Page {
  /** Files whose imports, and theirs, make the page. */
  readonly roots: readonly string[]
  /** Parts that have a table of their own. */
  readonly without?: readonly string[]
  /** Calls that no file of the page names, but the client or the session does for it. */
  readonly besides?: readonly string[]
  readonly table: (language: Language) => RefusalTable
}

/** Every page begins with a guest's session, and reads the look of its organization. */
const ALWAYS = ['POST /api/sessions/guest', 'GET /api/organization']

const PAGES: Readonly<Record<string, Page>> = {
  storefront: {
    roots: ['buyer/pages/Storefront.svelte'],
    without: ACCOUNT,
    besides: ALWAYS,
    table: () => storefrontRefusals,
  },
  event: {
    roots: ['buyer/pages/EventPage.svelte'],
    without: ACCOUNT,
    besides: [...ALWAYS, 'GET /api/events/:event/availability'],
    table: () => eventRefusals,
  },
  checkout: {
    roots: ['buyer/pages/CheckoutPage.svelte'],
    without: ACCOUNT,
    besides: ALWAYS,
    table: () => checkoutRefusals,
  },
  pay: { roots: ['buyer/pages/PayPage.svelte'], without: ACCOUNT, besides: ALWAYS, table: () => payRefusals },
  order: {
    roots: ['buyer/pages/OrderPage.svelte'],
    without: ACCOUNT,
    besides: ALWAYS,
    table: () => orderRefusals,
  },
  account: { roots: ACCOUNT, table: () => accountRefusals },
  password: {
    roots: ['buyer/pages/PasswordPage.svelte'],
    without: ACCOUNT,
    besides: [...ALWAYS, 'POST /api/accounts/email-confirmations/:reset_token'],
    table: () => passwordRefusals,
  },
  'sign-in at the gate': {
    roots: ['gate/SignInForm.svelte'],
    without: [SESSION],
    besides: ['POST /api/sessions'],
    table: ({ code }) => gateSignInRefusals(SCAN_WORDS[code]),
  },
  gate: {
    roots: ['gate/ScanPage.svelte'],
    without: ACCOUNT,
    besides: ['GET /api/organization'],
    table: ({ code }) => gateRefusals(SCAN_WORDS[code]),
  },
  'sign-in of the console': {
    roots: SIGN_IN,
    without: [SESSION, ...STAFF],
    besides: ['POST /api/sessions', 'POST /api/sessions/provider/finish'],
    table: ({ code }) => signInRefusals(SIGN_IN_WORDS[code]()),
  },
  console: {
    roots: ['console/Console.svelte'],
    without: [...ACCOUNT, ...SIGN_IN],
    table: ({ code, format }) => consoleRefusals(CONSOLE_WORDS[code](format)),
  },
}

/** The calls that the files of a page name, as the contract writes them. `${…}` stands for any part. */
function callsOf({ roots, without = [], besides = [] }: Page): ReadonlySet<string> {
  const calls = new Set(besides)
  const seen = new Set<string>(without.filter(file => !roots.includes(file)))
  const read = (file: string) => {
    if (seen.has(file) || !existsSync(join(SRC, file))) return
    seen.add(file)
    const text = readFileSync(join(SRC, file), 'utf8')
    // A type of an answer is no call.
    const called = text.replace(/\b(?:Data|Body|Input|Answer)<'[^']*'>/g, '')
    for (const [, call] of called.matchAll(/['"`]((?:GET|POST|PUT|PATCH|DELETE) \/api\/[^'"`\s]*)['"`]/g))
      calls.add(call!)
    const code = text.replace(/import type [^;]*? from '[^']+'/g, '')
    for (const [, path] of code.matchAll(/(?:from|import|import\()\s*'(\.[^']+\.(?:ts|svelte))'/g))
      read(join(dirname(file), path!))
  }
  for (const root of roots) read(root)
  return calls
}

function refusalsOfPage(page: Page): ReadonlySet<RefusalCode> {
  const known = new Map(routes.map(route => [`${route.method} ${route.path}`, route]))
  const found = [...callsOf(page)].flatMap(call => {
    const pattern = call.split(/\$\{[^}]*\}/).map(part => part.replace(/[.:/]/g, '\\$&'))
    const whole = new RegExp(`^${pattern.join('[^/]+')}$`)
    const those = [...known].filter(([name]) => whole.test(name))
    expect(those, `${call} is no call of the contract`).not.toEqual([])
    return those.flatMap(([, route]) => refusalsOf(route))
  })
  return new Set(found)
}

function refusedWith(code: RefusalCode): Refused {
  const { status, title, detail, retryable } = problemKinds[code]
  return new Refused({ code, status, title, detail, retryable }, null)
}

describe.each(Object.entries(PAGES))('%s', (_, page) => {
  const table = page.table(LANGUAGES[0])
  const can = refusalsOfPage(page)

  it('has a row for every refusal of the contract that can come there', () => {
    expect([...can].filter(code => table[code] === undefined)).toEqual([])
  })

  it('says each in both languages', () => {
    for (const code of Object.keys(table) as RefusalCode[]) {
      const said = LANGUAGES.map(language =>
        sentenceOf(page.table(language), refusedWith(code), language.words),
      )
      expect(new Set(said).size, code).toBe(2)
      for (const sentence of said) expect(sentence, code).toMatch(/^\p{Lu}[^_]{9,}[.:)]$/u)
    }
  })
})

it.each(['storefront', 'event', 'order', 'pay', 'checkout', 'password', 'gate'])(
  '%s has no row for what can not come there',
  name => {
    const page = PAGES[name]!
    const can = refusalsOfPage(page)
    const codes = Object.keys(page.table(LANGUAGES[0])) as RefusalCode[]
    // Those of every page stand once for all of them.
    expect(codes.filter(code => !(code in COMMON) && !can.has(code))).toEqual([])
  },
)

it('every way on has its word in both languages', () => {
  for (const action of ACTIONS) {
    const labels = LANGUAGES.map(({ words }) => labelOf(action, words))
    expect(new Set(labels).size, action).toBe(2)
  }
})

it('a code that the page does not know is told in the words of the server', () => {
  const refused = new Refused(
    { code: 'not_yet_known' as RefusalCode, status: 409, title: 'New', detail: 'Do this.', retryable: false },
    null,
  )
  expect(sentenceOf(eventRefusals, refused, LANGUAGES[0].words)).toBe('Do this.')
})
