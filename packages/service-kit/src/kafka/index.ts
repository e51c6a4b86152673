export { connectKafka } from './connect-kafka.ts'
export { guardSasl, kafkaSettingsOf, kafkaVariables, topicVariables } from './environment.ts'
export { partitionOf } from './partition-of.ts'
export { LeftGroup, stayFor, stayWhile } from './stay-in-group.ts'
export type {
  ConsumeOptions,
  ConsumerStatus,
  Kafka,
  KafkaBatch,
  KafkaConsumer,
  KafkaHeader,
  KafkaLog,
  KafkaProducer,
  KafkaRecord,
  KafkaSasl,
  KafkaSettings,
  KafkaTopics,
  OffsetRange,
  OutgoingRecord,
  PartitionOffsets,
  TopicDescription,
} from './port.ts'
