import { sendRefusal } from '@voelgoed/kit/http/serve'
import type { FastifyInstance } from 'fastify'
import type { Gateway, GatewayEvent } from './gateway.ts'

const PATH = '/api/payments/:gateway/webhook'
const LIMIT_BYTES = 256 * 1024

/** Keeps what the gateway tells: it is kept when this resolves. */
export type KeepNews = (event: GatewayEvent) => Promise<void>

/**
 * Serves the route that the payment gateway tells its news to. It is not part of the contract, because only
 * the gateway can sign what it says. The signature over the bytes comes first; 200 means that the message is
 * kept.
 */
export function servePaymentWebhook(fastify: FastifyInstance, gateway: Gateway, keepNews: KeepNews): void {
  fastify.post(PATH, { bodyLimit: LIMIT_BYTES }, async (request, reply) => {
    const { gateway: name } = request.params as { gateway: string }
    if (name !== gateway.name) return sendRefusal(request, reply, { kind: 'not_found' })
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const read = gateway.readWebhook(body, request.headers)
    if (!read.ok) {
      const message = `the message was not accepted: ${read.problem.kind}`
      return sendRefusal(request, reply, { kind: 'invalid_request', errors: [{ path: '', message }] })
    }
    if (read.value.kind !== 'ignored') await keepNews(read.value)
    return reply.code(200).send({ data: { received: true } })
  })
}
