/**
 * The CloudEvents 1.0 envelope of an observation (contract §2).
 *
 * Attribute names are CloudEvents': lower case, no separators. Values are strings; a number or a
 * boolean in structured mode is taken as its JSON text. Unknown extension attributes are kept.
 */
export interface EventAttributes {
  readonly specversion: '1.0'
  readonly id: string
  readonly source: string
  readonly type: string
  /** RFC 3339, when the witness saw it; absent: the time of arrival. */
  readonly time?: string
  readonly datacontenttype?: string
  readonly correlationid?: string
  readonly workerid?: string
  readonly taskid?: string
  readonly operation?: string
  readonly protocolversion?: string
  readonly binding?: string
  readonly httpstatus?: string
  readonly scope?: string
  readonly messageid?: string
  readonly instance?: string
  readonly parentcorrelationid?: string
  readonly sequence?: string
  readonly streamid?: string
  readonly lastobserved?: string
  readonly traceparent?: string
  readonly tracestate?: string
  readonly cachecontrol?: string
  readonly etag?: string
  readonly [extension: string]: string | undefined
}
