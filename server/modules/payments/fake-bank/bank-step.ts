import { createHash } from 'node:crypto'
import { minorDigits } from '@voelgoed/core/prices/currency'
import { readBytes } from '@voelgoed/kit/http/read-bytes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SimulatedIntent } from '../tables/simulated-payments.ts'
import type { FakeBank } from './fake-bank.ts'

const PATH = '/api/payments/simulator/steps/:token'
const FORM_LIMIT_BYTES = 4_096
const FORM_TYPE = 'application/x-www-form-urlencoded'

export function stepPath(token: string): string {
  return PATH.replace(':token', token)
}

/**
 * The page on which the fake bank asks the buyer to confirm, as a bank would. A browser opens it;
 * it is not part of the contract. No cookie opens it: only the token in its address does, so another site
 * has nothing to misuse. To look changes nothing. The form carries a token of its own, for this attempt to
 * pay alone, and a form that another site sends is refused.
 */
export function serveBankStep(fastify: FastifyInstance, fakeBank: FakeBank): void {
  // In a scope of its own: no other route reads forms.
  fastify.register(async scope => {
    scope.addContentTypeParser(FORM_TYPE, { bodyLimit: FORM_LIMIT_BYTES }, readBytes)
    scope.get(PATH, async (request, reply) => {
      const intent = await fakeBank.stepAt(tokenOf(request))
      if (!intent) return sendPage(reply.code(404), NOT_HERE)
      if (intent.status !== 'needs_step') return sendPage(reply, alreadyAnswered(intent), intent)
      return sendPage(reply, question(intent, fakeBank.tokens.formToken(intent)), intent)
    })
    scope.post(PATH, async (request, reply) => {
      if (isFromElsewhere(request)) return sendPage(reply.code(403), FROM_ELSEWHERE)
      const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '')
      const answer = form.get('answer')
      if (answer !== 'accept' && answer !== 'decline') return sendPage(reply.code(400), NOT_HERE)
      const intent = await fakeBank.answerStep(tokenOf(request), form.get('form') ?? '', answer)
      if (intent) return reply.redirect(intent.returnUrl, 303)
      const known = await fakeBank.stepAt(tokenOf(request))
      if (!known) return sendPage(reply.code(404), NOT_HERE)
      return sendPage(
        reply.code(409),
        known.status === 'needs_step' ? OUT_OF_DATE : alreadyAnswered(known),
        known,
      )
    })
  })
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token
}

/**
 * Browsers say where a form comes from: in the newer header over TLS and on this machine, else in the
 * older.
 */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin } = headers
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== headers.host
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:3rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
p.mode{background:#fff3cd;color:#5c4400;padding:.5rem .75rem;border-radius:.25rem}
button{font:inherit;min-height:2.75rem;padding:0 1.25rem;margin:0 .5rem .5rem 0;border:1px solid #1b1b1f;border-radius:.25rem;background:#fff;color:inherit}
button[value=accept]{background:#1b1b1f;color:#fff}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const NOT_HERE = '<h1>Nothing to confirm</h1><p>There is no payment at this address.'
const FROM_ELSEWHERE = '<h1>Not accepted</h1><p>This answer came from another site.'
const OUT_OF_DATE = '<h1>Out of date</h1><p>This page belongs to an earlier attempt. Load it again.'

function question({ amount, currency, returnUrl }: SimulatedIntent, formToken: string): string {
  return `<h1>Confirm the payment</h1>
<p>Your bank asks whether you pay <strong>${escapeHtml(moneyText(amount, currency))}</strong>.
<form method="post">
<input type="hidden" name="form" value="${escapeHtml(formToken)}">
<button name="answer" value="accept">Confirm</button>
<button name="answer" value="decline">Decline</button>
</form>
<p><a href="${escapeHtml(returnUrl)}">Back without an answer</a>`
}

function alreadyAnswered({ status, returnUrl }: SimulatedIntent): string {
  const text = { captured: 'It was paid.', declined: 'It was declined.', pending: 'It is being paid.' }
  return `<h1>Nothing to confirm</h1>
<p>${status === 'needs_step' ? '' : text[status]} <a href="${escapeHtml(returnUrl)}">Back to the order</a>`
}

function moneyText(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  const format = new Intl.NumberFormat('en', {
    ...{ style: 'currency', currency, currencyDisplay: 'code' },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  })
  return format.format(amount / 10 ** digits)
}

function sendPage(reply: FastifyReply, content: string, intent?: SimulatedIntent): FastifyReply {
  // A browser holds the redirect after a form against this as well.
  const back = intent && URL.canParse(intent.returnUrl) ? ` ${new URL(intent.returnUrl).origin}` : ''
  return reply
    .headers({
      'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'${back}; base-uri 'none'; frame-ancestors 'none'`,
      // With `no-referrer` browsers hide the origin of the form from us as well.
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Confirm the payment (test mode)</title><style>${STYLE}</style>
<p class="mode"><strong>Test mode.</strong> This page plays a bank. No real money is taken.
${content}</html>`)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
