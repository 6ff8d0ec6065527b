import MailComposer from 'nodemailer/lib/mail-composer'
import { MAIL_LOCALES } from './language.ts'
import { oneLine, writeLetter } from './letter.ts'
import type { MailFacts } from './letters.ts'
import { fillTemplate } from './templates.ts'

/** Mails come from this sender. */
export interface MailFrom {
  /** Null: each organization's own. */
  readonly name: string | null
  readonly address: string
}

export interface Attachment {
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

/**
 * The bytes of a mail. Addresses are objects, never text that is parsed, and every value of a header is one
 * line: what a person typed as their name stays in its place.
 */
export function writeMessage(
  mail: { readonly id: string; readonly recipient: string },
  { letter, language, organization, look }: MailFacts,
  from: MailFrom,
  attachments: readonly Attachment[] = [],
): Promise<Buffer> {
  const written = writeLetter(fillTemplate(letter, language), MAIL_LOCALES[language], look)
  return new MailComposer({
    from: { name: oneLine(from.name ?? organization.name), address: from.address },
    to: { name: '', address: mail.recipient },
    ...(organization.support_email !== null && {
      replyTo: { name: oneLine(organization.name), address: organization.support_email },
    }),
    subject: written.subject,
    text: written.text,
    html: written.html,
    attachments: attachments.map(({ filename, contentType, content }) => ({
      filename,
      contentType,
      content,
    })),
    // The same in every attempt: a mailbox that gets it twice can tell.
    messageId: `<${mail.id}@${from.address.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
}
