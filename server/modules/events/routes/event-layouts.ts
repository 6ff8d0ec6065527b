import * as contract from '@voelgoed/contract/layouts'
import { ok, refuse } from '@voelgoed/core/result'
import { acceptedEncoding } from '@voelgoed/kit/http/accepted-encoding'
import type { Router } from '@voelgoed/kit/http/serve'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { Kit } from '../../module.ts'
import { documentAnswer } from '../../venues/document-answer.ts'
import type { LayoutDocuments } from '../../venues/layout-documents.ts'
import { findEvents } from '../tables/events.ts'
import { visibleTo } from './events.ts'

/** Buyers read the hall of an event: its layout with the overlay applied. */
export function serveEventLayouts(router: Router, { database }: Kit, documents: LayoutDocuments): void {
  const events = new AskTogether(database, findEvents)

  router.serve(contract.readEventLayout, async call => {
    const { scope, user } = call.principal
    const event = await events.ask(scope, call.params.event)
    if (!event || !visibleTo(user.role, event)) return refuse({ kind: 'event_not_found' })
    const document = await documents.ofEvent(scope, event, acceptedEncoding(call.headers))
    return document ? ok(documentAnswer(call, document)) : refuse({ kind: 'event_not_found' })
  })

  router.serve(contract.readEventMap, async call => {
    const { scope, user } = call.principal
    const event = await events.ask(scope, call.params.event)
    if (!event || !visibleTo(user.role, event)) return refuse({ kind: 'event_not_found' })
    const document = await documents.mapOfEvent(scope, event, acceptedEncoding(call.headers))
    if (document === 'busy') return refuse({ kind: 'busy', retryAfterSeconds: 5 })
    if (!document) return refuse({ kind: 'event_not_found' })
    return ok(documentAnswer(call, document, 'application/octet-stream'))
  })
}
