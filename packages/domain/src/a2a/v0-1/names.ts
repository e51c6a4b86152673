/** What v0.1 called things before they got the names they have since v0.2. */

/** The discriminator of parts, and in some servers of messages: since v0.2 `kind`. */
export const discriminatorName = 'type'

/** The context of a task: since v0.2 `contextId`. */
export const contextName = 'sessionId'

/** The task of an update event, and of a send: since v0.2 `taskId`. */
export const eventTaskName = 'id'

/** The order of artifacts, which had no ids: since v0.2 `artifactId`. */
export const artifactOrderName = 'index'
