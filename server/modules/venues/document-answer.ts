import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { FinishedDocument } from '@voelgoed/kit/http/growing-document'

/** Answers with a document, unless the caller has it. */
export function documentAnswer(
  call: Call,
  document: FinishedDocument,
  contentType = 'application/json; charset=utf-8',
): Answer {
  const headers = {
    etag: document.etag,
    vary: 'accept-encoding, authorization',
    // Kept by the browser, asked about each time: the overlay may have changed.
    'cache-control': 'private, no-cache',
  }
  const known = String(call.headers['if-none-match'] ?? '')
    .split(',')
    .map(tag => tag.trim().replace(/^W\//, ''))
  if (known.includes(document.etag) || known.includes('*')) return { status: 304, bytes: null, headers }
  return {
    status: 200,
    bytes: document.bytes,
    headers: {
      ...headers,
      'content-type': contentType,
      ...(document.encoding !== 'identity' && { 'content-encoding': document.encoding }),
    },
  }
}
