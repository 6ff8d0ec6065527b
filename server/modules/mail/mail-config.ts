import { StartupError } from '@voelgoed/kit/base/startup-error'
import type { MailFrom } from './message.ts'
import type { MailServer } from './smtp-session.ts'

export interface MailConfig {
  readonly smtp: MailServer
  readonly from: MailFrom
}

const SHOULD_LOOK = 'SMTP_URL must look like smtp://user:password@mail.example.org:587, or smtps://… for TLS'

/** Both variables or none: a mail needs a sender that its server accepts. */
export function mailConfig({ url, from }: { url: string; from: string }): MailConfig | null {
  if (url === '' && from === '') return null
  if (url === '') throw new StartupError('MAIL_FROM needs SMTP_URL as well: set both or none')
  if (from === '') throw new StartupError('SMTP_URL needs MAIL_FROM as well: set both or none')
  return { smtp: smtpOf(url), from: fromOf(from) }
}

/** Its value may hold a password: the messages must not repeat it. */
function smtpOf(text: string): MailServer {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) {
    throw new StartupError(SHOULD_LOOK)
  }
  for (const [name, value] of url.searchParams) {
    const isKnown = (name === 'tls' && value === 'optional') || (name === 'certificate' && value === 'any')
    if (!isKnown)
      throw new StartupError('SMTP_URL takes ?tls=optional and ?certificate=any, and nothing else')
  }
  const secure = url.protocol === 'smtps:'
  const auth = url.username === '' ? null : { user: decode(url.username), pass: decode(url.password) }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A password must not be readable on the way, also if something on it strips STARTTLS from the offers.
    requireTls: !secure && auth !== null && url.searchParams.get('tls') !== 'optional',
    verifyCertificate: url.searchParams.get('certificate') !== 'any',
    auth,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new StartupError(SHOULD_LOOK)
  }
}

/** `tickets@example.org`, or `Tickets <tickets@example.org>`. */
function fromOf(text: string): MailFrom {
  const match = /^(?:(?<name>[^<>@"\p{Cc}]+?) *<)?(?<address>[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+)>?$/u.exec(text)
  if (!match || text.includes('<') !== text.includes('>')) {
    throw new StartupError('MAIL_FROM must look like tickets@example.org, or Tickets <tickets@example.org>')
  }
  return { name: match.groups!.name ?? null, address: match.groups!.address! }
}
