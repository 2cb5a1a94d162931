
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "public": {
          Tables: {
            "api_keys": {
                  Row: {
                    "created_at": string,"id": string,"name": string,"prefix": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"id"?: string,"name": string,"prefix": string,"user_id": string
                  }
                  Update: {
                    "created_at"?: string,"id"?: string,"name"?: string,"prefix"?: string,"user_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"connections": {
                  Row: {
                    "created_at": string,"header": string | null,"hosts": (string)[],"id": string,"kind": string,"last_test_status": number | null,"last_tested_at": string | null,"last_used_at": string | null,"name": string,"parameter": string | null,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"header"?: string | null,"hosts": (string)[],"id": string,"kind": string,"last_test_status"?: number | null,"last_tested_at"?: string | null,"last_used_at"?: string | null,"name": string,"parameter"?: string | null,"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "created_at"?: string,"header"?: string | null,"hosts"?: (string)[],"id"?: string,"kind"?: string,"last_test_status"?: number | null,"last_tested_at"?: string | null,"last_used_at"?: string | null,"name"?: string,"parameter"?: string | null,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"flow_deployments": {
                  Row: {
                    "action_identity": string | null,"chain_network": NonNullable<Json>,"created_at": string,"debounce_max_seconds": number | null,"debounce_seconds": number | null,"description": string,"entrypoint": number,"fees": NonNullable<Json>,"icon_url": string | null,"id": string,"input_names": (string)[],"key_period_seconds": number | null,"max_running_per_key": number | null,"max_runs_in_flight": number | null,"max_starts_per_key": number | null,"max_starts_per_minute": number | null,"model_limits": Json | null,"name": string,"on_end": Json | null,"output_instructions": boolean,"queue_key": string | null,"queue_key_shared": boolean,"snapshot_hash": string,"start_permission": string,"typed_inputs": Json | null,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "action_identity"?: string | null,"chain_network": NonNullable<Json>,"created_at": string,"debounce_max_seconds"?: number | null,"debounce_seconds"?: number | null,"description"?: string,"entrypoint": number,"fees"?: NonNullable<Json>,"icon_url"?: string | null,"id": string,"input_names"?: (string)[],"key_period_seconds"?: number | null,"max_running_per_key"?: number | null,"max_runs_in_flight"?: number | null,"max_starts_per_key"?: number | null,"max_starts_per_minute"?: number | null,"model_limits"?: Json | null,"name"?: string,"on_end"?: Json | null,"output_instructions"?: boolean,"queue_key"?: string | null,"queue_key_shared"?: boolean,"snapshot_hash": string,"start_permission"?: string,"typed_inputs"?: Json | null,"user_id": string
                  }
                  Update: {
                    "action_identity"?: string | null,"chain_network"?: NonNullable<Json>,"created_at"?: string,"debounce_max_seconds"?: number | null,"debounce_seconds"?: number | null,"description"?: string,"entrypoint"?: number,"fees"?: NonNullable<Json>,"icon_url"?: string | null,"id"?: string,"input_names"?: (string)[],"key_period_seconds"?: number | null,"max_running_per_key"?: number | null,"max_runs_in_flight"?: number | null,"max_starts_per_key"?: number | null,"max_starts_per_minute"?: number | null,"model_limits"?: Json | null,"name"?: string,"on_end"?: Json | null,"output_instructions"?: boolean,"queue_key"?: string | null,"queue_key_shared"?: boolean,"snapshot_hash"?: string,"start_permission"?: string,"typed_inputs"?: Json | null,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_deployments_entrypoint_fkey"
      columns: ["entrypoint","user_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id","user_id"]
    }
                  ]
                },"flow_deployments_tags": {
                  Row: {
                    "deployment_id": string,"description": string | null,"entrypoint": number,"tag": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "deployment_id": string,"description"?: string | null,"entrypoint": number,"tag": string,"user_id"?: string
                  }
                  Update: {
                    "deployment_id"?: string,"description"?: string | null,"entrypoint"?: number,"tag"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_deployments_tags_deployment_id_fkey"
      columns: ["deployment_id","entrypoint","user_id"]
isOneToOne: false
      referencedRelation: "flow_deployments"
      referencedColumns: ["id","entrypoint","user_id"]
    },{
      foreignKeyName: "flow_deployments_tags_entrypoint_fkey"
      columns: ["entrypoint","user_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id","user_id"]
    }
                  ]
                },"flow_pins": {
                  Row: {
                    "created_at": string,"flow_id": number,"node_id": string,"outputs": NonNullable<Json>,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"flow_id": number,"node_id": string,"outputs": NonNullable<Json>,"updated_at"?: string,"user_id"?: string
                  }
                  Update: {
                    "created_at"?: string,"flow_id"?: number,"node_id"?: string,"outputs"?: NonNullable<Json>,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_pins_flow_id_fkey"
      columns: ["flow_id","user_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id","user_id"]
    }
                  ]
                },"flow_row_starts": {
                  Row: {
                    "columns": (string)[] | null,"created_at": string,"events": (string)[],"flow": number,"id": string,"input": string,"is_active": boolean,"last_error": string | null,"last_refused_at": string | null,"on_refusal": string,"per": string,"refused": number,"schema_name": string,"table_name": string,"tag": string,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "columns"?: (string)[] | null,"created_at"?: string,"events": (string)[],"flow": number,"id"?: string,"input": string,"is_active"?: boolean,"last_error"?: string | null,"last_refused_at"?: string | null,"on_refusal": string,"per": string,"refused"?: number,"schema_name": string,"table_name": string,"tag": string,"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "columns"?: (string)[] | null,"created_at"?: string,"events"?: (string)[],"flow"?: number,"id"?: string,"input"?: string,"is_active"?: boolean,"last_error"?: string | null,"last_refused_at"?: string | null,"on_refusal"?: string,"per"?: string,"refused"?: number,"schema_name"?: string,"table_name"?: string,"tag"?: string,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_row_starts_flow_fkey"
      columns: ["flow","user_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id","user_id"]
    }
                  ]
                },"flow_run": {
                  Row: {
                    "action_identity": string | null,"action_signer": string | null,"chain_network": NonNullable<Json>,"created_at": string,"deployment_id": string | null,"end_time": string | null,"error_code": string | null,"errors": (string)[] | null,"fees": NonNullable<Json>,"flow_id": number,"id": string,"inputs": NonNullable<Json>,"not_run": (string)[] | null,"output": Json | null,"output_instructions": boolean,"parent_flow_run_id": string | null,"parent_node_id": string | null,"parent_times": number | null,"redriven_from": string | null,"row_start_id": string | null,"schedule_id": string | null,"start_time": string | null,"started_by": string | null,"started_by_public_key": string | null,"started_by_run_id": string | null,"status": string,"stopped_by": string | null,"usage": NonNullable<Json>,"user_id": string,"webhook_id": string | null,"deployment": {
              "action_identity": string | null,
"chain_network": NonNullable<Json>,
"created_at": string,
"debounce_max_seconds": number | null,
"debounce_seconds": number | null,
"description": string,
"entrypoint": number,
"fees": NonNullable<Json>,
"icon_url": string | null,
"id": string,
"input_names": (string)[],
"key_period_seconds": number | null,
"max_running_per_key": number | null,
"max_runs_in_flight": number | null,
"max_starts_per_key": number | null,
"max_starts_per_minute": number | null,
"model_limits": Json | null,
"name": string,
"on_end": Json | null,
"output_instructions": boolean,
"queue_key": string | null,
"queue_key_shared": boolean,
"snapshot_hash": string,
"start_permission": string,
"typed_inputs": Json | null,
"user_id": string
            } | null,"started_by_email": string | null
                  }
                  ComputedFields: "deployment" | "started_by_email"
                  Insert: {
                    "action_identity"?: string | null,"action_signer"?: string | null,"chain_network": NonNullable<Json>,"created_at"?: string,"deployment_id"?: string | null,"end_time"?: string | null,"error_code"?: string | null,"errors"?: (string)[] | null,"fees"?: NonNullable<Json>,"flow_id": number,"id"?: string,"inputs": NonNullable<Json>,"not_run"?: (string)[] | null,"output"?: Json | null,"output_instructions"?: boolean,"parent_flow_run_id"?: string | null,"parent_node_id"?: string | null,"parent_times"?: number | null,"redriven_from"?: string | null,"row_start_id"?: string | null,"schedule_id"?: string | null,"start_time"?: string | null,"started_by"?: string | null,"started_by_public_key"?: string | null,"started_by_run_id"?: string | null,"status"?: string,"stopped_by"?: string | null,"usage"?: NonNullable<Json>,"user_id": string,"webhook_id"?: string | null
                  }
                  Update: {
                    "action_identity"?: string | null,"action_signer"?: string | null,"chain_network"?: NonNullable<Json>,"created_at"?: string,"deployment_id"?: string | null,"end_time"?: string | null,"error_code"?: string | null,"errors"?: (string)[] | null,"fees"?: NonNullable<Json>,"flow_id"?: number,"id"?: string,"inputs"?: NonNullable<Json>,"not_run"?: (string)[] | null,"output"?: Json | null,"output_instructions"?: boolean,"parent_flow_run_id"?: string | null,"parent_node_id"?: string | null,"parent_times"?: number | null,"redriven_from"?: string | null,"row_start_id"?: string | null,"schedule_id"?: string | null,"start_time"?: string | null,"started_by"?: string | null,"started_by_public_key"?: string | null,"started_by_run_id"?: string | null,"status"?: string,"stopped_by"?: string | null,"usage"?: NonNullable<Json>,"user_id"?: string,"webhook_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_run_parent_flow_run_id_fkey"
      columns: ["parent_flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "flow_run_redriven_from_fkey"
      columns: ["redriven_from"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    }
                  ]
                },"flow_run_logs": {
                  Row: {
                    "content": string,"flow_run_id": string,"log_index": number,"log_level": string,"module": string | null,"node_id": string | null,"time": string,"times": number | null,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "content": string,"flow_run_id": string,"log_index": number,"log_level": string,"module"?: string | null,"node_id"?: string | null,"time": string,"times"?: number | null,"user_id": string
                  }
                  Update: {
                    "content"?: string,"flow_run_id"?: string,"log_index"?: number,"log_level"?: string,"module"?: string | null,"node_id"?: string | null,"time"?: string,"times"?: number | null,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_run_logs_flow_run_id_fkey"
      columns: ["flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    }
                  ]
                },"flow_schedules": {
                  Row: {
                    "created_at": string,"cron": string,"deployment_id": string | null,"flow": number | null,"id": string,"inputs": NonNullable<Json>,"is_active": boolean,"last_error": string | null,"last_flow_run_id": string | null,"last_start_at": string | null,"next_start_at": string | null,"policy": string,"tag": string | null,"time_zone": string,"updated_at": string,"user_id": string,"values": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"cron": string,"deployment_id"?: string | null,"flow"?: number | null,"id"?: string,"inputs"?: NonNullable<Json>,"is_active"?: boolean,"last_error"?: string | null,"last_flow_run_id"?: string | null,"last_start_at"?: string | null,"next_start_at"?: string | null,"policy"?: string,"tag"?: string | null,"time_zone"?: string,"updated_at"?: string,"user_id"?: string,"values"?: NonNullable<Json>
                  }
                  Update: {
                    "created_at"?: string,"cron"?: string,"deployment_id"?: string | null,"flow"?: number | null,"id"?: string,"inputs"?: NonNullable<Json>,"is_active"?: boolean,"last_error"?: string | null,"last_flow_run_id"?: string | null,"last_start_at"?: string | null,"next_start_at"?: string | null,"policy"?: string,"tag"?: string | null,"time_zone"?: string,"updated_at"?: string,"user_id"?: string,"values"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_schedules_deployment_id_fkey"
      columns: ["deployment_id"]
isOneToOne: false
      referencedRelation: "flow_deployments"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "flow_schedules_flow_fkey"
      columns: ["flow","user_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id","user_id"]
    }
                  ]
                },"flow_versions": {
                  Row: {
                    "bytes": number,"chain_network": NonNullable<Json>,"created_at": string,"edges": NonNullable<Json>,"environment": NonNullable<Json>,"flow_id": number,"hash": string,"id": number,"instructions_bundling": string,"name": string | null,"nodes": NonNullable<Json>,"saved_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "bytes": number,"chain_network": NonNullable<Json>,"created_at"?: string,"edges": NonNullable<Json>,"environment": NonNullable<Json>,"flow_id": number,"hash": string,"id"?: never,"instructions_bundling": string,"name"?: string | null,"nodes": NonNullable<Json>,"saved_at": string,"user_id": string
                  }
                  Update: {
                    "bytes"?: number,"chain_network"?: NonNullable<Json>,"created_at"?: string,"edges"?: NonNullable<Json>,"environment"?: NonNullable<Json>,"flow_id"?: number,"hash"?: string,"id"?: never,"instructions_bundling"?: string,"name"?: string | null,"nodes"?: NonNullable<Json>,"saved_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_versions_flow_id_fkey"
      columns: ["flow_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id"]
    }
                  ]
                },"flow_webhooks": {
                  Row: {
                    "created_at": string,"deployment_id": string | null,"flow": number | null,"headers": (string)[],"hmac": Json | null,"id": string,"input": string,"is_active": boolean,"last_error": string | null,"last_flow_run_id": string | null,"last_start_at": string | null,"prefix": string,"respond": boolean,"tag": string | null,"updated_at": string,"user_id": string,"verification": string | null,"whole_request": boolean
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"deployment_id"?: string | null,"flow"?: number | null,"headers"?: (string)[],"hmac"?: Json | null,"id"?: string,"input": string,"is_active"?: boolean,"last_error"?: string | null,"last_flow_run_id"?: string | null,"last_start_at"?: string | null,"prefix": string,"respond"?: boolean,"tag"?: string | null,"updated_at"?: string,"user_id": string,"verification"?: string | null,"whole_request"?: boolean
                  }
                  Update: {
                    "created_at"?: string,"deployment_id"?: string | null,"flow"?: number | null,"headers"?: (string)[],"hmac"?: Json | null,"id"?: string,"input"?: string,"is_active"?: boolean,"last_error"?: string | null,"last_flow_run_id"?: string | null,"last_start_at"?: string | null,"prefix"?: string,"respond"?: boolean,"tag"?: string | null,"updated_at"?: string,"user_id"?: string,"verification"?: string | null,"whole_request"?: boolean
                  }
                  Relationships: [
                    {
      foreignKeyName: "flow_webhooks_deployment_id_fkey"
      columns: ["deployment_id"]
isOneToOne: false
      referencedRelation: "flow_deployments"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "flow_webhooks_flow_fkey"
      columns: ["flow","user_id"]
isOneToOne: false
      referencedRelation: "flows"
      referencedColumns: ["id","user_id"]
    }
                  ]
                },"flows": {
                  Row: {
                    "chain_network": NonNullable<Json>,"created_at": string,"description": string,"edges": NonNullable<Json>,"environment": NonNullable<Json>,"folder": string,"id": number,"instructions_bundling": string,"is_public": boolean,"name": string,"nodes": NonNullable<Json>,"start_shared": boolean,"start_unverified": boolean,"tool_description": string,"tool_name": string | null,"tool_tag": string,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "chain_network"?: NonNullable<Json>,"created_at"?: string,"description"?: string,"edges"?: NonNullable<Json>,"environment"?: NonNullable<Json>,"folder"?: string,"id"?: never,"instructions_bundling"?: string,"is_public"?: boolean,"name"?: string,"nodes"?: NonNullable<Json>,"start_shared"?: boolean,"start_unverified"?: boolean,"tool_description"?: string,"tool_name"?: string | null,"tool_tag"?: string,"updated_at"?: string,"user_id"?: string
                  }
                  Update: {
                    "chain_network"?: NonNullable<Json>,"created_at"?: string,"description"?: string,"edges"?: NonNullable<Json>,"environment"?: NonNullable<Json>,"folder"?: string,"id"?: never,"instructions_bundling"?: string,"is_public"?: boolean,"name"?: string,"nodes"?: NonNullable<Json>,"start_shared"?: boolean,"start_unverified"?: boolean,"tool_description"?: string,"tool_name"?: string | null,"tool_tag"?: string,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"kv_items": {
                  Row: {
                    "created_at": string,"key": string,"size_bytes": number,"store": string,"updated_at": string,"user_id": string,"value": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"key": string,"size_bytes"?: never,"store": string,"updated_at"?: string,"user_id": string,"value": NonNullable<Json>
                  }
                  Update: {
                    "created_at"?: string,"key"?: string,"size_bytes"?: never,"store"?: string,"updated_at"?: string,"user_id"?: string,"value"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "kv_items_store_fkey"
      columns: ["user_id","store"]
isOneToOne: false
      referencedRelation: "kv_stores"
      referencedColumns: ["user_id","name"]
    }
                  ]
                },"kv_stores": {
                  Row: {
                    "created_at": string,"name": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"name": string,"user_id": string
                  }
                  Update: {
                    "created_at"?: string,"name"?: string,"user_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"node_run": {
                  Row: {
                    "answered_at": string | null,"answered_by": string | null,"attempt": number,"attempt_start_time": string | null,"end_time": string | null,"error_handled": boolean,"errors": (string)[] | null,"flow_run_id": string,"input": NonNullable<Json>,"is_pinned": boolean,"is_taken_over": boolean,"node_id": string,"output": Json | null,"retry_at": string | null,"start_time": string,"times": number,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "answered_at"?: string | null,"answered_by"?: string | null,"attempt"?: number,"attempt_start_time"?: string | null,"end_time"?: string | null,"error_handled"?: boolean,"errors"?: (string)[] | null,"flow_run_id": string,"input": NonNullable<Json>,"is_pinned"?: boolean,"is_taken_over"?: boolean,"node_id": string,"output"?: Json | null,"retry_at"?: string | null,"start_time": string,"times": number,"user_id": string
                  }
                  Update: {
                    "answered_at"?: string | null,"answered_by"?: string | null,"attempt"?: number,"attempt_start_time"?: string | null,"end_time"?: string | null,"error_handled"?: boolean,"errors"?: (string)[] | null,"flow_run_id"?: string,"input"?: NonNullable<Json>,"is_pinned"?: boolean,"is_taken_over"?: boolean,"node_id"?: string,"output"?: Json | null,"retry_at"?: string | null,"start_time"?: string,"times"?: number,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "node_run_flow_run_id_fkey"
      columns: ["flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    }
                  ]
                },"nodes": {
                  Row: {
                    "created_at": string,"data": NonNullable<Json>,"id": string,"is_public": boolean,"node_id": string,"owner_key": string,"sources": NonNullable<Json>,"targets": NonNullable<Json>,"targets_form.extra": Json | null,"targets_form.json_schema": Json | null,"targets_form.ui_schema": Json | null,"type": string,"updated_at": string,"user_id": string | null,"version": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"data": NonNullable<Json>,"id"?: string,"is_public"?: boolean,"node_id"?: string,"owner_key"?: string,"sources": NonNullable<Json>,"targets": NonNullable<Json>,"targets_form.extra"?: Json | null,"targets_form.json_schema"?: Json | null,"targets_form.ui_schema"?: Json | null,"type": string,"updated_at"?: string,"user_id"?: string | null,"version"?: string
                  }
                  Update: {
                    "created_at"?: string,"data"?: NonNullable<Json>,"id"?: string,"is_public"?: boolean,"node_id"?: string,"owner_key"?: string,"sources"?: NonNullable<Json>,"targets"?: NonNullable<Json>,"targets_form.extra"?: Json | null,"targets_form.json_schema"?: Json | null,"targets_form.ui_schema"?: Json | null,"type"?: string,"updated_at"?: string,"user_id"?: string | null,"version"?: string
                  }
                  Relationships: [
                    
                  ]
                },"pending_inputs": {
                  Row: {
                    "answered_by": string,"choices": Json | null,"created_at": string,"description": string | null,"expires_at": string,"flow_name": string,"flow_run_id": string,"id": string,"inputs": Json | null,"json_schema": Json | null,"node_id": string,"owner_id": string,"root_flow_run_id": string,"started_by": string | null,"starter": string | null,"times": number,"title": string | null,"url": string,"may_answer": boolean | null
                  }
                  ComputedFields: "may_answer"
                  Insert: {
                    "answered_by"?: string,"choices"?: Json | null,"created_at"?: never,"description"?: string | null,"expires_at": string,"flow_name"?: string,"flow_run_id": string,"id": string,"inputs"?: Json | null,"json_schema"?: Json | null,"node_id": string,"owner_id": string,"root_flow_run_id": string,"started_by"?: string | null,"starter"?: string | null,"times": number,"title"?: string | null,"url": string
                  }
                  Update: {
                    "answered_by"?: string,"choices"?: Json | null,"created_at"?: never,"description"?: string | null,"expires_at"?: string,"flow_name"?: string,"flow_run_id"?: string,"id"?: string,"inputs"?: Json | null,"json_schema"?: Json | null,"node_id"?: string,"owner_id"?: string,"root_flow_run_id"?: string,"started_by"?: string | null,"starter"?: string | null,"times"?: number,"title"?: string | null,"url"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "pending_inputs_flow_run_id_fkey"
      columns: ["flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    }
                  ]
                },"signature_requests": {
                  Row: {
                    "created_at": string,"expires_at": string,"flow_run_id": string,"id": number,"kind": string,"msg": string,"new_msg": string | null,"node_id": string,"owner_id": string,"pubkey": string,"root_flow_run_id": string,"signature": string | null,"signatures": Json | null,"times": number,"user_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"expires_at": string,"flow_run_id": string,"id": number,"kind"?: string,"msg": string,"new_msg"?: string | null,"node_id": string,"owner_id": string,"pubkey": string,"root_flow_run_id": string,"signature"?: string | null,"signatures"?: Json | null,"times": number,"user_id"?: string | null
                  }
                  Update: {
                    "created_at"?: string,"expires_at"?: string,"flow_run_id"?: string,"id"?: number,"kind"?: string,"msg"?: string,"new_msg"?: string | null,"node_id"?: string,"owner_id"?: string,"pubkey"?: string,"root_flow_run_id"?: string,"signature"?: string | null,"signatures"?: Json | null,"times"?: number,"user_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "signature_requests_flow_run_id_fkey"
      columns: ["flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "signature_requests_root_flow_run_id_fkey"
      columns: ["root_flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    }
                  ]
                },"wallets": {
                  Row: {
                    "created_at": string,"id": number,"name": string,"public_key": string,"type": string,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"id"?: never,"name"?: string,"public_key": string,"type": string,"updated_at"?: string,"user_id"?: string
                  }
                  Update: {
                    "created_at"?: string,"id"?: never,"name"?: string,"public_key"?: string,"type"?: string,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"webhook_deliveries": {
                  Row: {
                    "attempts": number,"created_at": string,"deployment_id": string | null,"event": string,"flow_run_id": string,"headers": NonNullable<Json>,"id": string,"is_held": boolean,"is_started_by_owner": boolean,"last_attempt_at": string | null,"last_error": string | null,"last_http_status": number | null,"last_response": string | null,"max_attempts": number,"next_attempt_at": string | null,"payload": NonNullable<Json>,"status": string,"turn_id": string,"url": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "attempts"?: number,"created_at"?: never,"deployment_id"?: string | null,"event": string,"flow_run_id": string,"headers"?: NonNullable<Json>,"id"?: string,"is_held"?: boolean,"is_started_by_owner"?: boolean,"last_attempt_at"?: string | null,"last_error"?: string | null,"last_http_status"?: number | null,"last_response"?: string | null,"max_attempts"?: number,"next_attempt_at"?: string | null,"payload": NonNullable<Json>,"status"?: string,"turn_id"?: never,"url": string,"user_id": string
                  }
                  Update: {
                    "attempts"?: number,"created_at"?: never,"deployment_id"?: string | null,"event"?: string,"flow_run_id"?: string,"headers"?: NonNullable<Json>,"id"?: string,"is_held"?: boolean,"is_started_by_owner"?: boolean,"last_attempt_at"?: string | null,"last_error"?: string | null,"last_http_status"?: number | null,"last_response"?: string | null,"max_attempts"?: number,"next_attempt_at"?: string | null,"payload"?: NonNullable<Json>,"status"?: string,"turn_id"?: never,"url"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "webhook_deliveries_flow_run_id_fkey"
      columns: ["flow_run_id"]
isOneToOne: false
      referencedRelation: "flow_run"
      referencedColumns: ["id"]
    }
                  ]
                }
          }
          Views: {
            "public_flows": {
                  Row: {
                    "chain_network": Json | null,"created_at": string,"description": string,"edges": NonNullable<Json>,"id": number,"instructions_bundling": string,"name": string,"nodes": NonNullable<Json>,"start_shared": boolean,"start_unverified": boolean,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                           "chain_network"?: never,"created_at"?: string | null,"description"?: string | null,"edges"?: Json | null,"id"?: number | null,"instructions_bundling"?: string | null,"name"?: string | null,"nodes"?: Json | null,"start_shared"?: boolean | null,"start_unverified"?: boolean | null,"updated_at"?: string | null,"user_id"?: string | null
                         }
                        Update: {
                           "chain_network"?: never,"created_at"?: string | null,"description"?: string | null,"edges"?: Json | null,"id"?: number | null,"instructions_bundling"?: string | null,"name"?: string | null,"nodes"?: Json | null,"start_shared"?: boolean | null,"start_unverified"?: boolean | null,"updated_at"?: string | null,"user_id"?: string | null
                         }
                        Relationships: [
                    
                  ]
                }
          }
          Functions: {
            "answer_signature_request":
{ Args: { "id": number,"new_msg"?: string,"signature": string }; Returns: undefined
                           },
"asking_flow_runs":
{ Args: { "flow_run_ids": (string)[] }; Returns: string[]
                           },
"await_flow_run_result":
{ Args: { "flow_run_id": string }; Returns: Json
                           },
"begin_action_lookup":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"begin_model_call":
{ Args: { "claim": Json }; Returns: Json
                           },
"begin_token_refresh":
{ Args: { "connection_id": string,"secret_nonce": string }; Returns: Json
                           },
"called_flow_runs":
{ Args: { "after"?: string,"flow_run_id": string }; Returns: {
              "created_at": string,"end_time": string,"id": string,"parent_flow_run_id": string,"parent_node_id": string,"parent_times": number,"start_time": string,"status": string
            }[]
                           },
"cancel_input":
{ Args: { "answered_as"?: Json,"idempotency_key"?: string,"token": string }; Returns: undefined
                           },
"check_file_quota":
{ Args: { "bucket": string,"bytes": number,"name": string,"user_id": string }; Returns: undefined
                           },
"check_flow":
{ Args: { "flow"?: Json,"flow_id"?: number }; Returns: Json
                           },
"checkpoint_flow_run":
{ Args: { "claim_number": number,"flow_run_id": string,"lease_seconds": number,"progress": Json }; Returns: undefined
                           },
"claim_flow_runs":
{ Args: { "known_snapshots"?: (string)[],"lease_seconds": number,"max_lost_claims"?: number,"max_runs": number,"owners_with_slots"?: (string)[],"wait_ms"?: number }; Returns: {
              "claim_number": number,"earlier_output_bytes": number,"flow_id": number,"flow_run_id": string,"has_due_webhook": boolean,"inputs": Json,"lost_claim_count": number,"output_bytes": number,"settings": Json,"snapshot": string,"snapshot_hash": string,"started_by": string,"stop": Json,"user_id": string,"work_ms": number
            }[]
                           },
"claim_webhook_deliveries":
{ Args: { "lease_seconds": number,"max_deliveries": number }; Returns: {
              "attempt": number,"body": string,"headers": Json,"id": string,"url": string
            }[]
                           },
"compare_deploy_settings":
{ Args: { "flow_id": number,"settings_from": string }; Returns: Json
                           },
"connection_id_to_store":
{ Args: { "name": string,"user_id": string }; Returns: string
                           },
"create_api_key":
{ Args: { "name": string }; Returns: Json
                           },
"create_kv_store":
{ Args: { "store": string }; Returns: undefined
                           },
"create_webhook":
{ Args: { "deployment_id"?: string,"flow"?: number,"headers"?: (string)[],"hmac"?: Json,"input": string,"respond"?: boolean,"secret"?: string,"tag"?: string,"verification"?: string,"whole_request"?: boolean }; Returns: Json
                           },
"delete_api_key":
{ Args: { "id": string }; Returns: undefined
                           },
"delete_kv_item":
{ Args: { "key": string,"store": string }; Returns: Json
                           },
"delete_kv_store":
{ Args: { "store": string }; Returns: undefined
                           },
"deploy_flow":
{ Args: { "as_of"?: Json,"flow_id": number,"settings_from"?: string,"strict"?: boolean }; Returns: Json
                           },
"deployment":
{ Args: { "flow_run": Omit<Database["public"]['Tables']["flow_run"]['Row'], Database["public"]['Tables']["flow_run"]['ComputedFields']> }; Returns: {
              "action_identity": string | null,
"chain_network": NonNullable<Json>,
"created_at": string,
"debounce_max_seconds": number | null,
"debounce_seconds": number | null,
"description": string,
"entrypoint": number,
"fees": NonNullable<Json>,
"icon_url": string | null,
"id": string,
"input_names": (string)[],
"key_period_seconds": number | null,
"max_running_per_key": number | null,
"max_runs_in_flight": number | null,
"max_starts_per_key": number | null,
"max_starts_per_minute": number | null,
"model_limits": Json | null,
"name": string,
"on_end": Json | null,
"output_instructions": boolean,
"queue_key": string | null,
"queue_key_shared": boolean,
"snapshot_hash": string,
"start_permission": string,
"typed_inputs": Json | null,
"user_id": string
            }
                          SetofOptions: {
        from: "flow_run"
        to: "flow_deployments"
        isOneToOne: true
        isSetofReturn: true
      } },
"deployment_graph":
{ Args: { "id": string }; Returns: Json
                           },
"earlier_flow_runs":
{ Args: { "after"?: Json,"flow_run_id": string,"max_bytes"?: number }; Returns: Json
                           },
"end_token_refresh":
{ Args: { "connection_id": string,"failure"?: Json,"lease": string,"token"?: Json,"valid_seconds"?: number }; Returns: boolean
                           },
"expire_connection_token":
{ Args: { "connection_id": string,"nonce": string }; Returns: undefined
                           },
"find_flow_runs":
{ Args: { "deployment"?: string,"flow"?: number,"schedule"?: string,"search"?: string,"since"?: string,"skip"?: number,"starter"?: string,"status"?: string,"take"?: number,"until"?: string,"webhook"?: string }; Returns: Json
                           },
"finish_flow_run":
{ Args: { "claim_number": number,"errors": (string)[],"flow_run_id": string,"not_run": (string)[],"output": Json,"progress": Json,"status": string }; Returns: undefined
                           },
"finish_flow_runs":
{ Args: { "results": Json }; Returns: (string)[]
                           },
"flow_has_changed":
{ Args: { "id": string }; Returns: boolean
                           },
"flow_history":
{ Args: { "flow_id": number }; Returns: Json
                           },
"flow_run_events":
{ Args: { "after"?: number,"flow_run_id": string }; Returns: Json
                           },
"flow_run_history":
{ Args: { "flow_run_id": string,"max_bytes"?: number }; Returns: Json
                           },
"flow_run_history_page":
{ Args: { "after"?: Json,"flow_run_id": string,"max_bytes"?: number }; Returns: Json
                           },
"flow_run_overview":
{ Args: { "deployment"?: string,"flow"?: number,"schedule"?: string,"search"?: string,"since"?: string,"starter"?: string,"status"?: string,"until"?: string,"webhook"?: string }; Returns: Json
                           },
"flow_run_result":
{ Args: { "flow_run_id": string }; Returns: Json
                           },
"flow_run_stats":
{ Args: { "deployment"?: string,"flow"?: number,"since"?: string }; Returns: Json
                           },
"flow_run_wait":
{ Args: { "flow_run_id": string }; Returns: Json
                           },
"heartbeat_flow_runs":
{ Args: { "claims": Json,"lease_seconds": number }; Returns: {
              "flow_run_id": string,"has_ended_inputs": boolean,"is_lost": boolean,"stop": Json
            }[]
                           },
"input_answerer":
{ Args: { "token": string }; Returns: Json
                           },
"keep_flow_version":
{ Args: { "flow_id": number,"name"?: string }; Returns: number
                           },
"kv_create_store":
{ Args: { "claim": Json,"effect": Json,"store": string }; Returns: undefined
                           },
"kv_delete_store":
{ Args: { "claim": Json,"effect": Json,"store": string }; Returns: undefined
                           },
"kv_read_item":
{ Args: { "claim": Json,"key": string,"store": string }; Returns: Json
                           },
"kv_write_item":
{ Args: { "claim": Json,"effect": Json,"key": string,"store": string,"value": Json }; Returns: Json
                           },
"list_tools":
{ Args: { "after_flow"?: number,"flow"?: number,"id"?: string,"public_key"?: string,"tag"?: string,"tool_name"?: string }; Returns: Json
                           },
"make_claim_token":
{ Args: { "claim_number": number,"flow_run_id": string }; Returns: Json
                           },
"max_queue_length":
{ Args: Record<PropertyKey, never>; Returns: number
                           },
"may_answer":
{ Args: { "input": Omit<Database["public"]['Tables']["pending_inputs"]['Row'], Database["public"]['Tables']["pending_inputs"]['ComputedFields']> }; Returns: boolean
                           },
"next_cron_times":
{ Args: { "cron": string,"time_zone"?: string }; Returns: (string)[]
                           },
"pending_input_owners":
{ Args: { "tokens": (string)[] }; Returns: (string)[]
                           },
"pending_signature_request":
{ Args: { "flow_run_id": string }; Returns: Json
                           },
"primary_key_columns":
{ Args: { "schema_name": string,"table_name": string }; Returns: (string)[]
                           },
"quotas":
{ Args: Record<PropertyKey, never>; Returns: {
              "default_value": number,"name": string,"value": number
            }[]
                           },
"read_claimed_connection":
{ Args: { "claim": Json,"name": string }; Returns: Json
                           },
"read_connection_secret":
{ Args: { "name": string,"user_id": string }; Returns: Json
                           },
"read_deployment":
{ Args: { "flow"?: number,"id"?: string,"public_key"?: string,"tag"?: string }; Returns: Json
                           },
"read_flow_scripts":
{ Args: { "flow_id": number }; Returns: Json
                           },
"read_kv_item":
{ Args: { "key": string,"store": string }; Returns: Json
                           },
"read_wallet_secret":
{ Args: { "public_key": string,"user_id": string }; Returns: Json
                           },
"receive_webhook":
{ Args: { "body": string,"headers"?: Json,"query"?: string,"token": string }; Returns: Json
                           },
"redeliver_webhook":
{ Args: { "id": string }; Returns: undefined
                           },
"redrive_flow_run":
{ Args: { "accept_unknown"?: boolean,"deployment"?: string,"flow_run_id": string,"idempotency_key"?: string,"repeat_effects"?: Json }; Returns: Json
                           },
"redrive_flow_runs":
{ Args: { "accept_unknown"?: boolean,"deployment"?: string,"error_code"?: string,"flow"?: number,"max_runs"?: number,"on_deployment"?: string,"since"?: string,"until"?: string }; Returns: {
              "error": Json,"flow_run_id": string,"redriven_as": string
            }[]
                           },
"release_flow_run":
{ Args: { "claim_number": number,"delay_seconds"?: number,"flow_run_id": string,"progress": Json }; Returns: undefined
                           },
"restore_flow_version":
{ Args: { "id": number,"updated_at"?: string }; Returns: Json
                           },
"rotate_on_end_secret":
{ Args: { "flow_id": number }; Returns: Json
                           },
"rotate_run_token_secret":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"runner_metrics":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"set_max_queue_length":
{ Args: { "max_length": number }; Returns: undefined
                           },
"set_quota":
{ Args: { "name": string,"value": number }; Returns: undefined
                           },
"set_webhook_verification":
{ Args: { "hmac"?: Json,"secret"?: string,"verification"?: string,"webhook_id": string }; Returns: Json
                           },
"signature_request_for_caller":
{ Args: { "id": number,"new_msg"?: string }; Returns: Json
                           },
"start_deployment":
{ Args: { "action_signer"?: string,"flow"?: number,"id"?: string,"idempotency_key"?: string,"inputs"?: Json,"priority"?: number,"public_key"?: string,"tag"?: string,"values"?: Json }; Returns: Json
                           },
"start_due_schedules":
{ Args: { "max_schedules"?: number }; Returns: Json
                           },
"start_flow":
{ Args: { "action_signer"?: string,"environment"?: Json,"flow_id": number,"idempotency_key"?: string,"inputs"?: Json,"output_instructions"?: boolean,"partial_config"?: Json,"priority"?: number,"strict"?: boolean,"values"?: Json }; Returns: Json
                           },
"started_by_email":
{ Args: { "flow_run": Omit<Database["public"]['Tables']["flow_run"]['Row'], Database["public"]['Tables']["flow_run"]['ComputedFields']> }; Returns: string
                           },
"stop_flow_run":
{ Args: { "flow_run_id": string,"reason"?: string,"timeout_millies"?: number }; Returns: undefined
                           },
"store_connection":
{ Args: { "connection": Json,"secret": Json }; Returns: Json
                           },
"store_connection_test":
{ Args: { "connection_id": string,"nonce": string,"status": number }; Returns: undefined
                           },
"store_model_usage":
{ Args: { "claim": Json,"usage": Json }; Returns: undefined
                           },
"store_transaction":
{ Args: { "claim_number": number,"flow_run_id": string,"requests": Json,"transaction": Json }; Returns: Json
                           },
"store_wallet":
{ Args: { "ciphertext"?: string,"key_id"?: string,"name": string,"nonce"?: string,"public_key": string,"type": string,"user_id": string }; Returns: Json
                           },
"store_webhook_attempt":
{ Args: { "attempt": number,"error"?: string,"http_status"?: number,"id": string,"response"?: string,"retry_after_seconds"?: number }; Returns: undefined
                           },
"submit_input":
{ Args: { "answered_as"?: Json,"idempotency_key"?: string,"is_checked"?: boolean,"token": string,"value"?: Json,"values"?: Json }; Returns: Json
                           },
"suspend_flow_run":
{ Args: { "claim_number": number,"delay_seconds"?: number,"flow_run_id": string,"progress": Json }; Returns: undefined
                           },
"sweep_runner":
{ Args: { "max_age"?: string,"max_runs"?: number }; Returns: Json
                           },
"take_api_inputs":
{ Args: { "claim_number": number,"executions": Json,"flow_run_id": string }; Returns: Json
                           },
"tool_run":
{ Args: { "deployment_id": string,"public_key"?: string }; Returns: Json
                           },
"turn_owners":
{ Args: { "shown": (string)[] }; Returns: (string)[]
                           },
"watched_run_events":
{ Args: { "after": (number)[],"flow_run_ids": (string)[] }; Returns: Json
                           },
"webhook_owners":
{ Args: { "tokens": (string)[] }; Returns: (string)[]
                           },
"whoami":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"write_kv_item":
{ Args: { "key": string,"store": string,"value": Json }; Returns: Json
                           }
          }
          Enums: {
            [_ in never]: never
          }
          CompositeTypes: {
            [_ in never]: never
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "public": {
          Enums: {
            
          }
        }
} as const
