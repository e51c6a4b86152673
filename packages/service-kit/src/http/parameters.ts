/** The forms that paths and queries share. */
import { z } from 'zod'

/** Filters take what an attribute can hold, so that no query reaches the database in vain. */
export const idText = z
  .string()
  .max(2048, 'is longer than an id can be')
  .refine((text) => !/[\p{Cc}\p{Surrogate}]/u.test(text), 'has control characters')

/** A parameter that is empty is absent, so that a form or a template may leave it blank. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      message: `is not a whole number from ${min} to ${max}`,
    })
    .transform(Number)
    .meta({ description: `A whole number from ${min} to ${max}.` })
