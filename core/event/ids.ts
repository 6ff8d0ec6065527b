declare const brand: unique symbol
type Id<Name extends string> = string & { readonly [brand]: Name }

export type HoldId = Id<'hold'>
export type TicketId = Id<'ticket'>
export type CheckoutId = Id<'checkout'>
export type CommandId = Id<'command'>
