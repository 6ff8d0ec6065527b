/** An attempt to send a mail ended so. */
export type Delivery =
  | { readonly outcome: 'sent' }
  /** The server surely did not take it. `isFinal`: it would not take it later either. */
  | { readonly outcome: 'refused'; readonly isFinal: boolean; readonly error: string }
  /** It may have gone out. Sending it again could make it two. */
  | { readonly outcome: 'unknown'; readonly error: string }

/** Nodemailer says this of a failure. */
export interface SmtpFailure extends Error {
  readonly code?: string
  /** The system calls it so: ECONNREFUSED. */
  readonly originalCode?: string
  readonly responseCode?: number
  readonly command?: string
}

/**
 * A server takes a mail with its answer to the final dot (RFC 5321, 6.1). So a mail whose dot may have gone
 * out is refused only by an answer that says so; without one, only the server knows.
 */
export function judgeFailure(failure: SmtpFailure, isWholeOut: boolean): Delivery {
  const error = nameOf(failure)
  if (isWholeOut && !isAnswerToMessage(failure)) return { outcome: 'unknown', error }
  return { outcome: 'refused', isFinal: isFinal(failure), error }
}

function isAnswerToMessage({ code, command, responseCode = 0 }: SmtpFailure): boolean {
  return code === 'EMESSAGE' && command === 'DATA' && responseCode >= 400
}

/**
 * An address that the server does not know, or a mail that it does not want. A sender or a login that it does
 * not want is a matter of configuration: an operator can mend that while the mails wait.
 */
function isFinal({ code, command, responseCode }: SmtpFailure): boolean {
  if (responseCode === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE'
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

/** Without what the server says, which may repeat the address: `RCPT TO 550`, `CONN ECONNREFUSED`. */
export function nameOf({ command, code, originalCode, responseCode }: SmtpFailure): string {
  const what = responseCode ?? originalCode ?? code ?? 'failed'
  return `${command ?? 'API'} ${what}`.replace(/[^A-Za-z0-9_ -]/g, '').slice(0, 100)
}
