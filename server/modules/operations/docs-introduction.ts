import { problemKinds } from '@voelgoed/contract/problems'
import { html } from './docs-text.ts'

const example = problemKinds.seat_held_by_another_user

/** An integrator reads this before the first request. Commands are for a POSIX shell. */
export const introduction: readonly { title: string; body: string }[] = [
  {
    title: 'Start',
    body: `<p>All requests and answers are JSON in snake_case. A success is <code>{"data": …}</code>. Times are ISO 8601 in UTC, ids are UUIDs. Each command on this page runs in a shell that knows these:</p>
${code(`base=http://127.0.0.1:3000        # where the server listens
token=…                           # of a session, see below
event=… seat=… hold=…             # the ids in the path`)}
<p>A complete walk from nothing to a held seat is in <code>docs/guide/first-event.md</code> of the project.</p>`,
  },
  {
    title: 'How to sign in',
    body: `<p>A session belongs to one organization, and its token says which: no other member of a request does. What belongs to another organization does not exist for you (404). Staff sign in with a password, buyers may start as guests:</p>
${code(`curl -sS "$base/api/sessions/guest" -H 'content-type: application/json' -d '{"organization":"voelgoed"}'`)}
<p>Send the <code>token</code> of the answer with each request, as <code>authorization: Bearer $token</code>. It is good for 12 hours, or until <code>DELETE /api/session</code>.</p>
<p>The <b>platform key</b> is another thing: the server prints it once, at its first start. It creates organizations and their first users under <code>/api/platform</code>, and opens nothing else.</p>`,
  },
  {
    title: 'Errors',
    body: `<p>A refusal is <code>application/problem+json</code>. Programs read <code>code</code>, people read <code>detail</code>; <code>retryable</code> says whether the same request may succeed later; report <code>request_id</code> if something is wrong on our side.</p>
${code(`{
  "type": "/docs#problem-seat_held_by_another_user",
  "title": "${example.title}", "status": ${example.status},
  "code": "seat_held_by_another_user", "retryable": ${example.retryable},
  "detail": "${example.detail}",
  "request_id": "…",
  "seat_ids": ["…"], "expires_in": 412
}`)}
<p>429 and 503 come with <code>Retry-After</code> in seconds. <a href="#problems">All problems</a> are at the end of this page.</p>`,
  },
  {
    title: 'Idempotency',
    body: `<p>A request may be lost on its way, or its answer. Routes that create something take an <code>Idempotency-Key</code> header of your choice (up to 255 characters, a new one for each wish). The same key with the same body has one effect at most and brings the same answer again, for 24 hours; with another body it is 422 <a href="#problem-idempotency_key_reused"><code>idempotency_key_reused</code></a>.</p>
${code(`curl -sS -X POST "$base/api/events/$event/seats/$seat/reserve" \\
  -H "authorization: Bearer $token" -H 'idempotency-key: 7f4a91c2'`)}`,
  },
  {
    title: 'Your own changes',
    body: `<p>What you changed is in the next answer about it, whichever process or machine gives it, on any connection: the cart, your holds, checkouts, orders and tickets, the seats of an event as JSON, and what staff have saved. You need to do nothing for that.</p>
<p>An answer that changed something in an event says how far the event is now, in the header <code>Voelgoed-Seq</code>. Send it back with a question about the same event, and the answer is as new: for what is everyone's too, such as the occupancy and the binary availability, which may otherwise be some milliseconds behind. The TypeScript client does so by itself.</p>`,
  },
  {
    title: 'Pages of a list',
    body: `<p>Lists answer <code>{"data": […], "next": …}</code>. Send <code>next</code> as <code>after</code> to get the page that follows; <code>null</code> means that there is none. <code>limit</code> sets the size of a page, up to 200.</p>`,
  },
  {
    title: 'Limits',
    body: `<p>A session may send 20 requests a second, with a burst of 60. A user may have 10 live streams. A body may have 256 KiB, a layout 96 MiB. How many seats a buyer may hold is in the organization's policy. Beyond a limit the answer is 413, 422 or 429, and says which.</p>`,
  },
  {
    title: 'The live feed',
    body: `<p>Read <code>GET /api/events/{event}/availability</code> once, then follow every change from its <code>seq</code> on:</p>
${code(`curl -sSN "$base/api/events/$event/live" -H "authorization: Bearer $token" -H 'last-event-id: 42'

id: 43
event: seats
data: {"seq":43,"seats":[[11,"held"]],"occupancy":{…}}`)}
<p>These are server-sent events. <code>seats</code> names each seat by its <code>ordinal</code> in the layout. When the connection is lost, come back with the last <code>id</code> as <code>Last-Event-ID</code>: nothing is missed or repeated. <code>released</code> in a message names zones without seats in which staff have released holds: a buyer who holds places there reads the cart again. <code>event: status</code> says that the event's status or its sale window has changed. <code>event: reset</code> means that you have missed too much, or that the hall has changed: read layout and availability again. A browser's <code>EventSource</code> can not set headers: ask for a token with <code>POST /api/events/{event}/live-token</code> and put it in the address. The stream ends with its session.</p>`,
  },
]

function code(text: string): string {
  return `<pre tabindex="0">${html(text)}</pre>`
}
