import type { StripeStep } from './payment.svelte.ts'

/** The page uses this part of Stripe.js, which must come from Stripe's own address. */
interface StripeJs {
  elements(options: { clientSecret: string; appearance: object }): Elements
  confirmPayment(options: {
    elements: Elements
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }): Promise<{ error?: { message?: string } }>
}
interface Elements {
  create(kind: 'payment'): { mount(at: HTMLElement): void; unmount(): void }
}
type MakeStripe = (key: string, options: { stripeAccount?: string; locale: string }) => StripeJs

const ADDRESS = 'https://js.stripe.com/v3/'
const LOAD_MS = 20_000

export interface StripeForm {
  /** The sentence of Stripe's that the buyer should read; null: it was sent. */
  confirm(returnUrl: string): Promise<string | null>
  close(): void
}

/** Puts Stripe's card form into the page: the card goes to Stripe and never through our server. */
export async function openStripeForm(step: StripeStep, at: HTMLElement, locale: string): Promise<StripeForm> {
  const make = await loadStripe()
  const account = step.account === null ? {} : { stripeAccount: step.account }
  const stripe = make(step.publishable_key, { ...account, locale })
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = stripe.elements({ clientSecret: step.client_secret, appearance: { theme } })
  const element = elements.create('payment')
  element.mount(at)
  return {
    async confirm(returnUrl) {
      const confirmParams = { return_url: returnUrl }
      const { error } = await stripe.confirmPayment({ elements, confirmParams, redirect: 'if_required' })
      return error ? (error.message ?? '') : null
    },
    close: () => element.unmount(),
  }
}

function loadStripe(): Promise<MakeStripe> {
  const loaded = () => (window as unknown as { Stripe?: MakeStripe }).Stripe
  const known = loaded()
  if (known) return Promise.resolve(known)
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const fail = () => {
      script.remove()
      reject(new Error('Stripe.js did not load'))
    }
    const timer = setTimeout(fail, LOAD_MS)
    script.src = ADDRESS
    script.onload = () => {
      clearTimeout(timer)
      const make = loaded()
      if (make) resolve(make)
      else fail()
    }
    script.onerror = () => {
      clearTimeout(timer)
      fail()
    }
    document.head.append(script)
  })
}
